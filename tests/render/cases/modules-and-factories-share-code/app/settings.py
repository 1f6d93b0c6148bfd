from typing import NamedTuple


class App(NamedTuple):
    name: str
    port: int
    public: bool = False


APPS = (App("shop", 8080, public=True), App("stock", 9000))
