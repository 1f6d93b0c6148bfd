"""The protocol's services, ResourceMonitor and Engine, by their methods."""
