from application import Application
from pulumi.provider.experimental import component_provider_host

if __name__ == "__main__":
    component_provider_host(name="web", components=[Application])
