from app import build
from app.settings import APPS
import naming

for app in APPS:
    build(app, labels=naming.labels(app.name))
