"""The handlers of the oracle test, as Kopf has them: the same, under the same ids, as in handlers.ts.

What they do is said by the object: spec.fail holds how many attempts of which handler fail, spec.delay for how long;
spec.refuse holds the handlers that fail for good; spec.children the sub-handlers; spec.resumed, that it is wanted after
restarts. Deployments, and ReplicaSets with them, say it in an annotation.
"""
import json
import os

import kopf

EXAMPLE = ("lotse.test", "v1", "examples")
LONG = "outer.<locals>.a-handler-with-a-name-that-is-much-longer-than-any-annotation-may-be"
MEDIUM = "m" * 50


def act(handler, *, name, spec, retry, reason, **more):
    line = {"by": "kopf", "handler": handler, "name": name, "retry": retry, "reason": str(reason), **more}
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps(line) + "\n")
    if handler in spec.get("refuse", []):
        raise kopf.PermanentError(f"{handler} is refused: ünmöglich")
    if retry < spec.get("fail", {}).get(handler, 0):
        raise kopf.TemporaryError(f"attempt {retry} of {handler} fails", delay=spec.get("delay", 1))
    return {"value": spec.get("value"), "retry": retry}


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    settings.execution.max_workers = 4


@kopf.on.create(*EXAMPLE, id="make")
async def make(name, spec, retry, reason, **_):
    return act("make", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.create(*EXAMPLE, id="then")
async def then(name, spec, retry, reason, **_):
    act("then", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.create(*EXAMPLE, id=LONG)
async def long(name, spec, retry, reason, **_):
    act("long", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.create(*EXAMPLE, id=MEDIUM)
async def medium(name, spec, retry, reason, **_):
    act("medium", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.create(*EXAMPLE, id="family", when=lambda spec, **_: "children" in spec)
async def family(name, spec, retry, reason, **_):
    def child(id):
        async def fn(name, spec, retry, reason, **_):
            return act(id, name=name, spec=spec, retry=retry, reason=reason)
        return fn

    for id in spec["children"]:
        kopf.subhandler(id=id)(child(id))


@kopf.on.update(*EXAMPLE, id="change")
async def change(name, spec, retry, reason, old, new, **_):
    values = {"old": old.get("spec", {}).get("value"), "new": new.get("spec", {}).get("value")}
    return act("change", name=name, spec=spec, retry=retry, reason=reason, **values)


@kopf.on.update(*EXAMPLE, id="second")
async def second(name, spec, retry, reason, **_):
    act("second", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.field(*EXAMPLE, id="track", field="spec.value")
async def track(name, spec, retry, reason, old, new, **_):
    act("track", name=name, spec=spec, retry=retry, reason=reason, old=old, new=new)


@kopf.on.delete(*EXAMPLE, id="clean")
async def clean(name, spec, retry, reason, **_):
    act("clean", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.delete(*EXAMPLE, id="drop")
async def drop(name, spec, retry, reason, **_):
    act("drop", name=name, spec=spec, retry=retry, reason=reason)


@kopf.on.resume(*EXAMPLE, id="again", when=lambda spec, **_: "resumed" in spec, deleted=True)
async def again(name, spec, retry, reason, **_):
    act("again", name=name, spec=spec, retry=retry, reason=reason)


# Under one id, so that the notes of the one would be the other's: the deployment controller copies annotations.
@kopf.on.create("apps", "v1", "deployments", id="run")
@kopf.on.create("apps", "v1", "replicasets", id="run")
async def run(name, body, annotations, retry, reason, **_):
    spec = json.loads(annotations["lotse.test/spec"])
    act("run", name=f"{body['kind']}/{name}", spec=spec, retry=retry, reason=reason)
