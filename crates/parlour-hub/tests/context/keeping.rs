//! What is given to a run.

use parlour_core::{Code, context::ContextRequest, delivery::DeliveryPath, paging::PageRequest, run::StartRun};

use crate::{
    stage::Stage,
    support::{agent_id, refused},
};

#[tokio::test]
async fn only_what_is_given_to_an_own_open_run_is_kept() {
    let stage = Stage::new().await;
    stage.say(&stage.mara, "@Coder hello").await;
    let hub = &stage.test.hub;
    let run = hub.start_run(&stage.coder, StartRun::default()).await.expect("run");
    let asked =
        ContextRequest { run_id: Some(run.id.clone()), delivered_via: Some(DeliveryPath::Tool), ..stage.here() };
    assert_eq!(refused(hub.context(&stage.mara, &agent_id(&stage.coder), &asked).await), Code::Forbidden);
    assert_eq!(stage.context(&stage.coder, &stage.here()).await.pack.injection_id, None);
    let made = stage.context(&stage.coder, &asked).await.pack;
    let kept = hub.injections(&stage.coder, &run.id, &PageRequest::first()).await.expect("list").items;
    let ids: Vec<_> = kept.iter().map(|one| (Some(one.id.clone()), one.delivered_via, one.text.clone())).collect();
    assert_eq!(ids, [(made.injection_id, DeliveryPath::Tool, Some(made.text))]);
}
