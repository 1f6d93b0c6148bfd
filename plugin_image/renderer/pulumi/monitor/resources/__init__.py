"""What is known of registered resources: URNs, names, objects, providers, order."""
