"""The handlers of table.json, as Kopf has them; table.ts has ours. What they do is said by the object (see there)."""
import json
import os
import pathlib

import kopf

EXAMPLE = ("lotse.test", "v1", "examples")
TABLE = json.loads(pathlib.Path(__file__).with_name("table.json").read_text())

Reason = kopf.DaemonStoppingReason
REASONS = [Reason.FILTERS_MISMATCH, Reason.OPERATOR_EXITING, Reason.OPERATOR_PAUSING, Reason.RESOURCE_DELETED]


def plain(value):
    """Views and diffs as JSON has them."""
    return json.loads(json.dumps(value, default=lambda view: dict(view) if hasattr(view, "keys") else list(view)))


def note(**line):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(json.dumps(line) + "\n")


def own_keys(modes, name):
    return sorted(str(key) for key, names in modes.items() if name in names)


def act(id, *, name, spec, retry, reason, diff, old, new, patch, modes, **_):
    seen = {"diff": plain(diff), "old": plain(old), "new": plain(new), "modes": own_keys(modes, name)}
    note(id=id, name=name, retry=retry, reason=str(reason), **seen)
    if id in spec.get("refuse", []):
        raise kopf.PermanentError("refused")
    if retry < spec.get("fail", {}).get(id, 0):
        raise kopf.TemporaryError("fails", delay=0.2)
    if retry < spec.get("crash", {}).get(id, 0):
        raise ValueError("crashes")
    if id in spec.get("marks", []):
        patch.metadata.labels[f"by-{id}"] = "yes"
    if id in spec.get("results", []):
        return {"value": spec.get("value", "none")}


def marker(value):
    if isinstance(value, dict):
        return kopf.PRESENT if value["is"] == "present" else kopf.ABSENT
    return value


def options_of(row):
    options = dict(row.get("options", {}))
    for key in {"value", "old", "new"} & options.keys():
        options[key] = marker(options[key])
    for key in {"labels", "annotations"} & options.keys():
        options[key] = {name: marker(value) for name, value in options[key].items()}
    if "errors" in options:
        options["errors"] = kopf.ErrorsMode[options["errors"].upper()]
    return options


def declare(row):
    id = row["id"]

    async def event(event, name, **_):
        note(id=id, name=name, type=event["type"])

    async def single(**kwargs):
        return act(id, **kwargs)

    async def family(**kwargs):
        act(id, **kwargs)
        for child in kwargs["spec"].get("children", []):
            def bound(child=child):
                async def fn(**kwargs):
                    return act(f"{id}/{child}", **kwargs)
                return fn
            kopf.subhandler(id=child)(bound())

    async def timer(name, spec, retry, modes, **_):
        note(id=id, name=name, retry=retry, modes=own_keys(modes, name))
        if retry < spec.get("fail", {}).get(id, 0):
            raise kopf.TemporaryError("fails", delay=0.2)

    async def daemon(name, stopped, **_):
        note(id=id, name=name, type="begins")
        try:
            await stopped.wait()
        finally:
            reasons = [reason.name for reason in REASONS if stopped.reason and reason in stopped.reason]
            note(id=id, name=name, type="ends", reasons=reasons)

    async def index(name, spec, **_):
        return {str(spec.get("mode", "none")): name}

    special = {"event": event, "timer": timer, "daemon": daemon, "index": index}
    fn = special.get(row["on"]) or (family if row.get("family") else single)
    getattr(kopf.on, row["on"])(*EXAMPLE, id=id, **options_of(row))(fn)


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False


for row in TABLE:
    declare(row)
