"""What Argo CD is given: Applications, sets of them, and health checks."""
