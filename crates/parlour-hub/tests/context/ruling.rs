//! Rules that a project may set, and rerankers.

use std::sync::Arc;

use async_trait::async_trait;
use parlour_core::{
    Code,
    context::{AskContext, ContextRules},
    engine::Engine,
    policy::Policy,
    project::ProjectPatch,
};
use parlour_hub::ports::{ModelTrouble, Reranker};

use crate::{stage::Stage, support::TestHub};

/// A reranker that answers as it was told, or not at all.
struct Scripted(Option<Vec<f32>>);

#[async_trait]
impl Reranker for Scripted {
    fn names(&self) -> Vec<String> {
        vec!["scripted".into()]
    }

    async fn rerank(&self, _: &str, _: &str, _: &[String]) -> Result<Vec<f32>, ModelTrouble> {
        match &self.0 {
            Some(scores) => Ok(scores.clone()),
            None => Err(ModelTrouble("it is away".into())),
        }
    }
}

async fn set(stage: &Stage, context: ContextRules) -> Result<(), (Code, Option<String>)> {
    let policy = Policy { context, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    let outcome = stage.test.hub.update_project(&stage.mara, &stage.project, patch).await;
    outcome.map(drop).map_err(|failure| {
        let refusal = failure.refusal().expect("a refusal");
        (refusal.code, refusal.field.clone())
    })
}

#[tokio::test]
async fn models_that_there_are_not_are_refused_where_they_stand() {
    let stage = Stage::new().await;
    let summariser = Some(Engine { provider: "nowhere".into(), model: None });
    let rules = ContextRules::default;
    for (wrong, field) in [
        (ContextRules { summariser, ..rules() }, "policy.context.summariser.provider"),
        (ContextRules { reranker: Some("none".into()), ..rules() }, "policy.context.reranker"),
    ] {
        assert_eq!(set(&stage, wrong).await.expect_err(field).1.as_deref(), Some(field));
    }
    assert_eq!(set(&stage, rules()).await, Ok(()));
}

#[tokio::test]
async fn without_a_useful_answer_of_the_reranker_the_hub_ranks_by_itself() {
    let mut texts = Vec::new();
    for script in [None, Some(vec![]), Some(vec![f32::NAN])] {
        let test = TestHub::with_reranker(Arc::new(Scripted(script))).await;
        let stage = Stage::on(test).await;
        stage.say(&stage.mara, "the anchor is rusty").await;
        let reranker = Some("scripted".to_owned());
        set(&stage, ContextRules { reranker, ..ContextRules::default() }).await.expect("rules");
        let asked = AskContext { query: Some("anchor".into()), ..stage.here() };
        texts.push(stage.context(&stage.coder, &asked).await.pack.text);
    }
    assert!(texts[0].contains("rusty"), "{}", texts[0]);
    assert!(texts.iter().all(|text| *text == texts[0]));
}
