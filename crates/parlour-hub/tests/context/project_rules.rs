//! Context rules of a project, and rerankers.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use parlour_core::{
    Code,
    context::{ContextFormat, ContextRequest, ContextRules, RedactionRule, RedactionRules},
    engine::{BUILT_IN, Engine, EngineOffer},
    policy::Policy,
    project::ProjectPatch,
};
use parlour_hub::ports::{ModelError, Reranker};

use crate::{
    fixture::{ContextFixture, row},
    support::{TestHub, agent_id},
};

/// A reranker that prefers texts with a word, or never answers.
struct KeywordReranker(Option<&'static str>);

#[async_trait]
impl Reranker for KeywordReranker {
    fn names(&self) -> Vec<String> {
        vec!["scripted".into()]
    }

    async fn rerank(&self, _: &str, _: &str, texts: &[String]) -> Result<Vec<f32>, ModelError> {
        match self.0 {
            Some(word) => Ok(texts.iter().map(|text| f32::from(u8::from(text.contains(word)))).collect()),
            None => std::future::pending().await,
        }
    }
}

/// A reranker that returns these scores, or an error.
struct ScriptedReranker(Option<Vec<f32>>);

#[async_trait]
impl Reranker for ScriptedReranker {
    fn names(&self) -> Vec<String> {
        vec!["scripted".into()]
    }

    async fn rerank(&self, _: &str, _: &str, _: &[String]) -> Result<Vec<f32>, ModelError> {
        match &self.0 {
            Some(scores) => Ok(scores.clone()),
            None => Err(ModelError("it is away".into())),
        }
    }
}

/// A reranker that counts its calls and returns an error.
#[derive(Default)]
struct CountingReranker(AtomicUsize);

#[async_trait]
impl Reranker for CountingReranker {
    fn names(&self) -> Vec<String> {
        vec!["scripted".into()]
    }

    async fn rerank(&self, _: &str, _: &str, _: &[String]) -> Result<Vec<f32>, ModelError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(ModelError("it is away".into()))
    }
}

async fn set(fixture: &ContextFixture, context: ContextRules) -> Result<(), (Code, Option<String>)> {
    let policy = Policy { context, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    let outcome = fixture.test.hub.update_project(&fixture.mara, &fixture.project, patch).await;
    outcome.map(drop).map_err(|failure| {
        let refusal = failure.refusal().expect("a refusal");
        (refusal.code, refusal.field.clone())
    })
}

#[tokio::test]
async fn unknown_summarisers_and_rerankers_are_refused_by_field() {
    let fixture = ContextFixture::new().await;
    let summariser = Some(Engine { provider: "nowhere".into(), model: None });
    let rules = ContextRules::default;
    for (wrong, field) in [
        (ContextRules { summariser, ..rules() }, "policy.context.summariser.provider"),
        (ContextRules { reranker: Some("none".into()), ..rules() }, "policy.context.reranker"),
    ] {
        assert_eq!(set(&fixture, wrong).await.expect_err(field).1.as_deref(), Some(field));
    }
    assert_eq!(set(&fixture, rules()).await, Ok(()));
}

#[tokio::test]
async fn only_providers_that_can_summarise_are_proposed_as_summarisers() {
    let offer = |provider: &str, interface: &str| EngineOffer {
        provider: provider.into(),
        interface: interface.into(),
        model: Some("small".into()),
    };
    let offers = vec![offer(BUILT_IN, BUILT_IN), offer("local", "openai")];
    let fixture = ContextFixture::on(TestHub::with_engines(offers).await).await;
    let summariser = Some(Engine { provider: "nowhere".into(), model: None });
    let policy = Policy { context: ContextRules { summariser, ..ContextRules::default() }, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    let failure =
        fixture.test.hub.update_project(&fixture.mara, &fixture.project, patch).await.expect_err("no provider");
    assert_eq!(failure.refusal().expect("a refusal").candidates, ["local"]);
}

#[tokio::test]
async fn without_a_valid_reranker_answer_the_hub_ranks_by_itself() {
    let mut texts = Vec::new();
    for script in [None, Some(vec![]), Some(vec![f32::NAN])] {
        let test = TestHub::with_reranker(Arc::new(ScriptedReranker(script))).await;
        let fixture = ContextFixture::on(test).await;
        fixture.say(&fixture.mara, "the anchor is rusty").await;
        let reranker = Some("scripted".to_owned());
        set(&fixture, ContextRules { reranker, ..ContextRules::default() }).await.expect("rules");
        let asked = ContextRequest { query: Some("anchor".into()), ..fixture.here() };
        texts.push(fixture.context(&fixture.coder, &asked).await.pack.text);
    }
    assert!(texts[0].contains("rusty"), "{}", texts[0]);
    assert!(texts.iter().all(|text| *text == texts[0]));
}

#[tokio::test]
async fn a_reranker_is_called_at_most_once_per_pack() {
    let reranker = Arc::new(CountingReranker::default());
    let fixture = ContextFixture::on(TestHub::with_reranker(Arc::clone(&reranker) as Arc<dyn Reranker>).await).await;
    set(&fixture, ContextRules { reranker: Some("scripted".into()), ..ContextRules::default() }).await.expect("rules");
    for number in 0..30 {
        fixture.say(&fixture.mara, &format!("the anchor number {number} lies in the yard")).await;
    }
    let mut before = 0;
    for (format, budget, most) in [
        (ContextFormat::Pack, None, 1),
        (ContextFormat::Native, None, 1),
        (ContextFormat::Pack, Some(1), 1),
        (ContextFormat::Native, Some(1), 1),
        (ContextFormat::Last20, None, 0),
    ] {
        let asked = ContextRequest { format, budget, query: Some("anchor".into()), ..fixture.here() };
        drop(fixture.test.hub.context(&fixture.coder, &agent_id(&fixture.coder), &asked).await);
        let count = reranker.0.load(Ordering::Relaxed);
        assert_eq!(count - before, most, "{format:?} {budget:?}");
        before = count;
    }
}

#[tokio::test]
async fn invalid_redaction_rules_are_refused_by_field_and_valid_ones_apply() {
    let fixture = ContextFixture::new().await;
    let rules = |redaction| ContextRules { redaction, ..ContextRules::default() };
    let add = |pattern: &str| {
        let add = vec![RedactionRule { kind: "badge".into(), pattern: pattern.into() }];
        rules(RedactionRules { add, ..RedactionRules::default() })
    };
    let mute = |kind: &str| rules(RedactionRules { mute: vec![kind.into()], ..RedactionRules::default() });
    for wrong in ["(", "[z-a]", "a{2,1}"] {
        let field = set(&fixture, add(wrong)).await.expect_err(wrong).1;
        assert_eq!(field.as_deref(), Some("policy.context.redaction.add[0].pattern"), "{wrong}");
    }
    let field = set(&fixture, mute("no-such-kind")).await.expect_err("an unknown kind").1;
    assert_eq!(field.as_deref(), Some("policy.context.redaction.mute[0]"));
    let two = RedactionRules { mute: vec!["phone".into(), "phonex".into()], ..RedactionRules::default() };
    let field = set(&fixture, rules(two)).await.expect_err("an unknown kind behind one that it begins with").1;
    assert_eq!(field.as_deref(), Some("policy.context.redaction.mute[1]"));
    assert_eq!(set(&fixture, add(r"\bB-[0-9]{6}\b")).await, Ok(()));
    fixture.say(&fixture.mara, "my badge is B-123456").await;
    let pack = fixture.context(&fixture.coder, &fixture.here()).await.pack;
    assert!(!pack.text.contains("B-123456") && pack.text.contains("badge"), "{}", pack.text);
    let counted = pack.receipt.redactions.iter().map(|count| (count.kind.as_str(), count.count)).collect::<Vec<_>>();
    assert_eq!(counted, [("badge", 1)]);
}

/// The score of one of many similar messages with this reranker, and the text of the pack.
async fn score_with(reranker: Option<KeywordReranker>) -> (u32, String) {
    let name = reranker.as_ref().map(|_| "scripted".to_owned());
    let fixture = match reranker {
        Some(reranker) => ContextFixture::on(TestHub::with_reranker(Arc::new(reranker)).await).await,
        None => ContextFixture::new().await,
    };
    set(&fixture, ContextRules { reranker: name, ..ContextRules::default() }).await.expect("rules");
    let wanted = fixture.say(&fixture.mara, "the anchor lies below the marigold").await;
    for number in 0..30 {
        fixture.say(&fixture.mara, &format!("the anchor number {number} lies in the yard")).await;
    }
    let asked = ContextRequest { query: Some("anchor".into()), budget: Some(2_000), ..fixture.here() };
    let pack = fixture.context(&fixture.coder, &asked).await.pack;
    (row(&pack.receipt, wanted.as_str()).expect("a row").score, pack.text)
}

#[tokio::test]
async fn a_reranker_raises_scores_and_a_hanging_one_changes_nothing() {
    let (plain, text) = score_with(None).await;
    let (liked, _) = score_with(Some(KeywordReranker(Some("marigold")))).await;
    assert!(liked > plain, "{liked} after {plain}");
    assert_eq!(score_with(Some(KeywordReranker(None))).await, (plain, text));
}
