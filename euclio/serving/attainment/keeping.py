"""What plans of sessions may be asked to keep: an attainment."""

from euclio.core.parts import Keeping
from euclio.serving.attainment.attaining import attaining
from euclio.serving.attainment.written import READERS, demand_from, read_field

KEEPING = Keeping(READERS, read_field, demand_from, attaining)
