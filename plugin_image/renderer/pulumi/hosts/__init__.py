"""Language hosts: each runs a program of its language against a monitor of ours."""
