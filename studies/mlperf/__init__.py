"""The simulator of sessions held against hardware: MLPerf Inference's servers, and Triton under closed-loop clients."""
