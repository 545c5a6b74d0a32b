"""A module of kernels for the tests of machine code."""

import pytest
from kernel_module import KernelModule


@pytest.fixture
def module(tmp_path):
    found = KernelModule(tmp_path)
    found.write()
    return found
