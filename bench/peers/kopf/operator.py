"""The operator that is measured, on Kopf: sets one field of the status of each object that is new. Two writes: state, notes.

PEERS_WEBHOOK is the port of an admission webhook in place of that, with the certificate in the folder PEERS_CERTIFICATES.
"""

import os

import kopf

GROUP = ("bench.lotse.dev", "v1", "items")
PORT = os.environ.get("PEERS_WEBHOOK")

if PORT is None:

    @kopf.on.create(*GROUP)
    async def handle(patch, **_):
        patch.status["state"] = "Ready"

else:

    @kopf.on.startup()
    async def configure(settings, **_):
        folder = os.environ["PEERS_CERTIFICATES"]
        settings.admission.server = kopf.WebhookServer(
            addr="127.0.0.1", host="127.0.0.1", port=int(PORT), certfile=f"{folder}/server.crt", pkeyfile=f"{folder}/server.key"
        )

    @kopf.on.mutate(*GROUP)
    async def fill(patch, **_):
        patch.spec["color"] = "blue"
