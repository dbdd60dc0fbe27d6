"""An operator as authors write one with Kopf: for a server that is to be believed by it."""

import kopf

GROUP = ("clients.example.com", "v1", "kettles")


@kopf.on.startup()
def configure(settings, **_):
    settings.background.instant_exit_timeout = 1


@kopf.index(*GROUP)
def by_color(spec, name, **_):
    return {spec.get("color"): name}


@kopf.on.create(*GROUP)
def fill(spec, retry, patch, by_color, **_):
    if retry == 0:
        raise kopf.TemporaryError("no water yet", delay=0.3)
    patch.status["alike"] = sorted(by_color.get(spec.get("color"), []))
    return {"litres": spec["litres"]}


@kopf.on.field(*GROUP, field="spec.litres")
def refill(old, new, patch, **_):
    patch.status["litres"] = f"{old} to {new}"


@kopf.on.resume(*GROUP)
@kopf.on.update(*GROUP)
def label(name, body, **_):
    kopf.event(body, type="Normal", reason="Labelled", message=f"{name} has a label")


@kopf.daemon(*GROUP)
async def heat(stopped, body, **_):
    kopf.event(body, type="Normal", reason="Heated", message="it is hot")
    await stopped.wait()


@kopf.timer(*GROUP, interval=0.5)
def tick(patch, status, **_):
    if status.get("ticks", 0) < 3:
        patch.status["ticks"] = status.get("ticks", 0) + 1


@kopf.on.delete(*GROUP)
def empty(name, **_):
    return {"emptied": name}
