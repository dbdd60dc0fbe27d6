//! The operator that is measured, on kube-rs: sets one field of the status of each object that has none. One write.

use std::{env, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "bench.lotse.dev", version = "v1", kind = "Item", namespaced, status = "ItemStatus")]
struct ItemSpec {
    payload: String,
    /// Is there in large objects, whose payload is empty.
    template: Option<PodTemplateSpec>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct ItemStatus {
    state: Option<String>,
}

async fn reconcile(item: Arc<Item>, items: Arc<Api<Item>>) -> Result<Action, kube::Error> {
    let state = item.status.as_ref().and_then(|status| status.state.as_deref());
    if state != Some("Ready") {
        let patch = Patch::Merge(json!({ "status": { "state": "Ready" } }));
        items.patch_status(&item.name_any(), &PatchParams::default(), &patch).await?;
    }
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.expect("a kubeconfig");
    let namespace = env::var("PEERS_NAMESPACE").expect("PEERS_NAMESPACE");
    let items: Api<Item> = Api::namespaced(client, &namespace);
    Controller::new(items.clone(), watcher::Config::default())
        .graceful_shutdown_on(async { terminated().await })
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), Arc::new(items))
        .for_each(|_| async {})
        .await;
}

async fn terminated() {
    let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("a handler for SIGTERM");
    signal.recv().await;
}
