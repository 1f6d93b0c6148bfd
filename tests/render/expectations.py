"""What our renderer would write for objects that someone else rendered."""

from collections.abc import Iterable

from plugin_image.renderer import documents, manifests
from plugin_image.renderer.monitor.recording import Recording, Registration
from plugin_image.renderer.options import Options
from tests.render.objects import Object, identity


def stream(objects: Iterable[Object]) -> str:
    """The stream with exactly these objects."""
    registrations = [
        Registration(
            urn="/".join(identity(object_)),
            type=f"kubernetes:{object_['apiVersion']}:{object_['kind']}",
            name=object_["metadata"]["name"],
            object=object_,
            index=index,
            source="",
            dependencies=[],
        )
        for index, object_ in enumerate(objects)
    ]
    return documents.to_stream(manifests.build(Recording(registrations), Options()))
