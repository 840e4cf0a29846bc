//! What the usage of runs says about how a model counts.

use parlour_core::{
    access::Principal,
    context::ContextRequest,
    run::{FinishRun, StartRun},
    usage::Usage,
};

use crate::{
    stage::Stage,
    support::{agent_id, refused},
};

/// A model without a table of its own.
const MODEL: &str = "claude-sonnet-4-5";

impl Stage {
    /// What the channel costs this agent's model by the hub's count, within a budget that holds all of it.
    async fn counted(&self, agent: &Principal) -> u64 {
        let ask = ContextRequest { model: Some(MODEL.into()), budget: Some(20_000), ..self.here() };
        self.test.hub.context(agent, &agent_id(agent), &ask).await.expect("a pack").pack.receipt.used
    }

    /// Lets an agent run with the channel in its prompt and report a share of what was counted, in hundredths.
    async fn report(&self, agent: &Principal, percent: u64) {
        let hub = &self.test.hub;
        let run = hub.start_run(agent, StartRun::default()).await.expect("run").id;
        let ask = ContextRequest {
            model: Some(MODEL.into()),
            budget: Some(20_000),
            run_id: Some(run.clone()),
            ..self.here()
        };
        let used = hub.context(agent, &agent_id(agent), &ask).await.expect("a pack").pack.receipt.used;
        let usage = Usage { model: MODEL.into(), input_tokens: used * percent / 100, ..Usage::default() };
        hub.finish_run(agent, &run, FinishRun { failed: None, usage: Some(usage) }).await.expect("finished");
    }

    async fn talk(&self) {
        for number in 0..60 {
            self.say(&self.mara, &format!("word number {number} of a long and quiet talk about the harbour wall"))
                .await;
        }
    }
}

#[tokio::test]
async fn reported_usage_makes_the_count_of_that_agent_lower_and_of_nobody_else() {
    let stage = Stage::new().await;
    let other = stage.test.agent(&stage.project, "Other").await;
    stage.talk().await;
    let (before, others) = (stage.counted(&stage.coder).await, stage.counted(&other).await);
    for _ in 0..20 {
        stage.report(&stage.coder, 80).await;
    }
    let after = stage.counted(&stage.coder).await;
    assert!(after < before && after >= before * 80 / 100, "{after} after {before}");
    assert_eq!(stage.counted(&other).await, others);
}

#[tokio::test]
async fn reports_that_cannot_be_true_change_nothing() {
    let stage = Stage::new().await;
    stage.talk().await;
    let before = stage.counted(&stage.coder).await;
    for percent in [0, 1, 10, 100, 5_000, 100_000_000] {
        stage.report(&stage.coder, percent).await;
        assert_eq!(stage.counted(&stage.coder).await, before, "{percent}");
    }
}

#[tokio::test]
async fn one_honest_report_holds_back_what_others_said_too_low() {
    let stage = Stage::new().await;
    stage.talk().await;
    let before = stage.counted(&stage.coder).await;
    for _ in 0..20 {
        stage.report(&stage.coder, 80).await;
    }
    stage.report(&stage.coder, 200).await;
    assert_eq!(stage.counted(&stage.coder).await, before, "nothing below what was observed");
}

#[tokio::test]
async fn a_refusal_names_a_budget_that_will_do() {
    let stage = Stage::new().await;
    stage.talk().await;
    let asked = stage.say(&stage.mara, "@Coder how long is the wall?").await;
    for format in [parlour_core::context::ContextFormat::Pack, parlour_core::context::ContextFormat::Native] {
        let ask =
            |budget| ContextRequest { format, budget: Some(budget), message_id: Some(asked.clone()), ..stage.here() };
        let coder = agent_id(&stage.coder);
        let failure = stage.test.hub.context(&stage.coder, &coder, &ask(0)).await.expect_err("too small");
        let detail = failure.refusal().expect("a refusal").detail.clone();
        let needed: u64 = detail.split(' ').filter_map(|word| word.parse().ok()).next_back().expect("a number");
        stage.test.hub.context(&stage.coder, &coder, &ask(needed)).await.expect("enough");
        let half = stage.test.hub.context(&stage.coder, &coder, &ask(needed / 2)).await;
        assert_eq!(refused(half), parlour_core::Code::BudgetTooSmall, "{format:?}: {needed} is more than needed");
    }
}
