"""PPipe §7 reproduced: its systems planned and served in simulation, on synthetic models and measured instances."""
