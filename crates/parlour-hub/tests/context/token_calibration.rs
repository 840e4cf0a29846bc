//! Token counts that are calibrated by the reported usage of runs.

use parlour_core::{
    access::Principal,
    context::ContextRequest,
    engine::Usage,
    run::{FinishRun, StartRun},
};

use crate::{
    fixture::ContextFixture,
    support::{agent_id, refused},
};

/// A model without its own token table.
const MODEL: &str = "claude-sonnet-4-5";

impl ContextFixture {
    /// The tokens of the whole channel for this agent's model, as the hub counts them.
    async fn counted(&self, agent: &Principal) -> u64 {
        let ask = ContextRequest { model: Some(MODEL.into()), budget: Some(20_000), ..self.here() };
        self.test.hub.context(agent, &agent_id(agent), &ask).await.expect("a pack").pack.receipt.used
    }

    /// Runs an agent with the channel in its prompt, and reports this percentage of the counted tokens as usage.
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
async fn reported_usage_lowers_the_token_count_of_that_agent_only() {
    let fixture = ContextFixture::new().await;
    let other = fixture.test.agent(&fixture.project, "Other").await;
    fixture.talk().await;
    let (before, others) = (fixture.counted(&fixture.coder).await, fixture.counted(&other).await);
    for _ in 0..20 {
        fixture.report(&fixture.coder, 80).await;
    }
    let after = fixture.counted(&fixture.coder).await;
    assert!(after < before && after >= before * 80 / 100, "{after} after {before}");
    assert_eq!(fixture.counted(&other).await, others);
}

#[tokio::test]
async fn implausible_usage_reports_change_nothing() {
    let fixture = ContextFixture::new().await;
    fixture.talk().await;
    let before = fixture.counted(&fixture.coder).await;
    for percent in [0, 1, 10, 100, 5_000, 100_000_000] {
        fixture.report(&fixture.coder, percent).await;
        assert_eq!(fixture.counted(&fixture.coder).await, before, "{percent}");
    }
}

#[tokio::test]
async fn one_higher_report_undoes_lower_reports() {
    let fixture = ContextFixture::new().await;
    fixture.talk().await;
    let before = fixture.counted(&fixture.coder).await;
    for _ in 0..20 {
        fixture.report(&fixture.coder, 80).await;
    }
    fixture.report(&fixture.coder, 200).await;
    assert_eq!(fixture.counted(&fixture.coder).await, before, "the count is not below the observed usage");
}

#[tokio::test]
async fn a_refusal_names_a_sufficient_budget() {
    let fixture = ContextFixture::new().await;
    fixture.talk().await;
    let asked = fixture.say(&fixture.mara, "@Coder how long is the wall?").await;
    for format in [parlour_core::context::ContextFormat::Pack, parlour_core::context::ContextFormat::Native] {
        let ask =
            |budget| ContextRequest { format, budget: Some(budget), message_id: Some(asked.clone()), ..fixture.here() };
        let coder = agent_id(&fixture.coder);
        let failure = fixture.test.hub.context(&fixture.coder, &coder, &ask(0)).await.expect_err("too small");
        let detail = failure.refusal().expect("a refusal").detail.clone();
        let needed: u64 = detail.split(' ').filter_map(|word| word.parse().ok()).next_back().expect("a number");
        fixture.test.hub.context(&fixture.coder, &coder, &ask(needed)).await.expect("enough");
        let half = fixture.test.hub.context(&fixture.coder, &coder, &ask(needed / 2)).await;
        assert_eq!(refused(half), parlour_core::Code::BudgetTooSmall, "{format:?}: {needed} is more than needed");
    }
}
