//! A controller as authors of operators write one with kube-rs, with what it must see on any Kubernetes: each check prints
//! a line, "ok <name>" or "not ok <name>: <what was seen instead>".

use std::{fmt::Display, future::Future, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "clients.example.com", version = "v1", kind = "Gadget", namespaced, status = "GadgetStatus")]
struct GadgetSpec {
    size: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct GadgetStatus {
    phase: String,
}

type Checked = Result<(), String>;

const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.expect("a kubeconfig");
    let namespace = make_namespace(&client).await.expect("a namespace");
    let mut failed = false;
    let checks = [
        ("kube-rs: a definition is established", define(&client).await),
        ("kube-rs: typed errors, pages and patches", writes(&client, &namespace).await),
        ("kube-rs: server-side apply, conflicts and force", apply(&client, &namespace).await),
        ("kube-rs: a reflector follows objects", follow(&client, &namespace).await),
        ("kube-rs: a controller with a finalizer, children and a status", control(&client, &namespace).await),
    ];
    for (name, result) in checks {
        match result {
            Ok(()) => println!("ok {name}"),
            Err(seen) => {
                failed = true;
                println!("not ok {name}: {}", seen.replace('\n', " "));
            }
        }
    }
    std::process::exit(i32::from(failed));
}

async fn make_namespace(client: &Client) -> Result<String, String> {
    let api: Api<Namespace> = Api::all(client.clone());
    let object = serde_json::from_value(json!({ "metadata": { "generateName": "rust-clients-" } })).map_err(text)?;
    Ok(api.create(&PostParams::default(), &object).await.map_err(text)?.name_any())
}

async fn define(client: &Client) -> Checked {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("clients").force();
    api.patch("gadgets.clients.example.com", &params, &Patch::Apply(Gadget::crd())).await.map_err(text)?;
    let established = await_condition(api, "gadgets.clients.example.com", conditions::is_crd_established());
    tokio::time::timeout(PATIENCE, established).await.map_err(text)?.map_err(text)?;
    let gadgets: Api<Gadget> = Api::all(client.clone());
    until(|| async { gadgets.list(&ListParams::default().limit(1)).await.map(|_| true).map_err(text) }).await
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "labels": { "paged": "yes" } } })).expect("a map")
}

async fn writes(client: &Client, namespace: &str) -> Checked {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    for index in 0..7 {
        api.create(&PostParams::default(), &map(&format!("page-{index}"))).await.map_err(text)?;
    }
    expect("creating again", code(api.create(&PostParams::default(), &map("page-0")).await), 409)?;
    expect("getting nothing", code(api.get("nothing").await), 404)?;
    let mut count = 0;
    let mut params = ListParams::default().labels("paged=yes").limit(3);
    loop {
        let page = api.list(&params).await.map_err(text)?;
        count += page.items.len();
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    expect("objects in pages", count, 7)?;
    let stale = api.get("page-0").await.map_err(text)?;
    let merge = Patch::Merge(json!({ "data": { "a": "1" } }));
    api.patch("page-0", &PatchParams::default(), &merge).await.map_err(text)?;
    expect("a stale replacement", code(api.replace("page-0", &PostParams::default(), &stale).await), 409)?;
    expect("the metadata alone", api.get_metadata("page-0").await.map_err(text)?.name_any(), "page-0".to_owned())
}

async fn apply(client: &Client, namespace: &str) -> Checked {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let wanted = |value: &str| {
        Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "a": value } }))
    };
    api.patch("applied", &PatchParams::apply("one"), &wanted("1")).await.map_err(text)?;
    expect("a conflict", code(api.patch("applied", &PatchParams::apply("two"), &wanted("2")).await), 409)?;
    let forced = api.patch("applied", &PatchParams::apply("two").force(), &wanted("2")).await.map_err(text)?;
    expect("the value", forced.data.unwrap_or_default().get("a").cloned(), Some("2".to_owned()))
}

async fn follow(client: &Client, namespace: &str) -> Checked {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let (reader, writer) = reflector::store();
    let stream = watcher(api.clone(), watcher::Config::default().labels("paged=yes"));
    let task = tokio::spawn(reflector(writer, stream).default_backoff().touched_objects().try_for_each(|_| async { Ok(()) }));
    tokio::time::timeout(PATIENCE, reader.wait_until_ready()).await.map_err(text)?.map_err(text)?;
    expect("objects at first", reader.len(), 7)?;
    api.delete("page-6", &DeleteParams::default()).await.map_err(text)?;
    api.create(&PostParams::default(), &map("page-8")).await.map_err(text)?;
    let result = until(|| async {
        let names: Vec<String> = reader.state().iter().map(|each| each.name_any()).collect();
        Ok(names.len() == 7 && names.contains(&"page-8".to_owned()) && !names.contains(&"page-6".to_owned()))
    })
    .await;
    task.abort();
    result
}

/// Keeps a ConfigMap for each Gadget, and says so in the status.
async fn reconcile(gadget: Arc<Gadget>, client: Arc<Client>) -> Result<Action, kube::runtime::finalizer::Error<kube::Error>> {
    let namespace = gadget.namespace().unwrap_or_default();
    let gadgets: Api<Gadget> = Api::namespaced((*client).clone(), &namespace);
    let maps: Api<ConfigMap> = Api::namespaced((*client).clone(), &namespace);
    finalizer(&gadgets.clone(), "clients.example.com/finalizer", gadget, |event| async move {
        match event {
            Event::Apply(gadget) => {
                let name = format!("{}-child", gadget.name_any());
                let child = json!({
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": { "name": name, "ownerReferences": [gadget.controller_owner_ref(&()).expect("a uid")] },
                    "data": { "size": gadget.spec.size.to_string() },
                });
                let params = PatchParams::apply("gadgets").force();
                maps.patch(&name, &params, &Patch::Apply(child)).await?;
                let status = json!({
                    "apiVersion": "clients.example.com/v1", "kind": "Gadget", "status": { "phase": "Ready" },
                });
                gadgets.patch_status(&gadget.name_any(), &params, &Patch::Apply(status)).await?;
                Ok(Action::requeue(Duration::from_secs(300)))
            }
            Event::Cleanup(gadget) => {
                maps.create(&PostParams::default(), &map(&format!("{}-gone", gadget.name_any()))).await?;
                Ok(Action::await_change())
            }
        }
    })
    .await
}

async fn control(client: &Client, namespace: &str) -> Checked {
    let gadgets: Api<Gadget> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let running = Controller::new(gadgets.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)), Arc::new(client.clone()))
        .for_each(|_| async {});
    let task = tokio::spawn(running);
    let result = story(&gadgets, &maps).await;
    task.abort();
    result
}

async fn story(gadgets: &Api<Gadget>, maps: &Api<ConfigMap>) -> Checked {
    gadgets.create(&PostParams::default(), &Gadget::new("one", GadgetSpec { size: 3 })).await.map_err(text)?;
    until(|| async {
        let gadget = gadgets.get_status("one").await.map_err(text)?;
        Ok(gadget.status.is_some_and(|status| status.phase == "Ready"))
    })
    .await?;
    let size_is = |wanted: &'static str| async move {
        let child = maps.get("one-child").await.map_err(text)?;
        Ok(child.data.unwrap_or_default().get("size").is_some_and(|size| size == wanted))
    };
    until(|| size_is("3")).await?;
    let larger = Patch::Merge(json!({ "spec": { "size": 5 } }));
    gadgets.patch("one", &PatchParams::default(), &larger).await.map_err(text)?;
    until(|| size_is("5")).await?;
    maps.delete("one-child", &DeleteParams::default()).await.map_err(text)?;
    until(|| size_is("5")).await?;
    gadgets.delete("one", &DeleteParams::default()).await.map_err(text)?;
    until(|| async { Ok(code(gadgets.get("one").await) == 404) }).await?;
    maps.get("one-gone").await.map(|_| ()).map_err(text)
}

/// Waits for a condition; what it fails with meanwhile is the error where it does not come.
async fn until<Asked, Answer>(holds: Asked) -> Checked
where
    Asked: Fn() -> Answer,
    Answer: Future<Output = Result<bool, String>>,
{
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = holds().await;
        match answer {
            Ok(true) => return Ok(()),
            Ok(false) if tokio::time::Instant::now() > deadline => return Err("it did not come".to_owned()),
            Err(error) if tokio::time::Instant::now() > deadline => return Err(error),
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

fn expect<Value: PartialEq + std::fmt::Debug>(what: &str, seen: Value, wanted: Value) -> Checked {
    if seen == wanted { Ok(()) } else { Err(format!("{what} is {seen:?}, not {wanted:?}")) }
}

/// The status with which the server refused; 0 if it did not.
fn code<Value>(result: Result<Value, kube::Error>) -> u16 {
    match result {
        Err(kube::Error::Api(refusal)) => refusal.code,
        _ => 0,
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}
