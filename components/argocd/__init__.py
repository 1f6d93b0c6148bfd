"""What Argo CD is given: Applications, sets of them, projects, and health checks."""
