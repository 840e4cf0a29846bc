//! The policy of a project: retention, token budgets, calls of agents, and the limits of the loop guard.

use serde::{Deserialize, Serialize};

use crate::{Refusal, Timestamp, context::ContextRules};

/// The rules of one project; what a project does not set has these defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Retention.
    pub retention: Retention,
    /// The token budgets.
    pub budgets: Budgets,
    /// When chains of agents are stopped.
    pub loop_limits: LoopLimits,
    /// When agents are called.
    pub calls: CallRules,
    /// Streaming of answers.
    pub streams: StreamRules,
    /// The rules of the context engine.
    pub context: ContextRules,
}

/// Streaming of answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct StreamRules {
    /// Milliseconds over which pieces of a stream are coalesced into one chunk.
    #[cfg_attr(feature = "schema", schema(minimum = 20, maximum = 10_000))]
    pub window_ms: u64,
    /// Seconds that a stream stays open without a sign of life of its producer.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 3_600))]
    pub lease_seconds: u64,
}

/// Retention; absent means for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Messages kept in a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000_000))]
    pub messages_per_conversation_max: Option<u64>,
    /// Days that a message is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub message_days_max: Option<u64>,
    /// Days that the log keeps events, and so how far back a reader can resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub event_days_max: Option<u64>,
    /// Days that an artifact is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 36_500))]
    pub artifact_days_max: Option<u64>,
}

/// The token budgets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// Tokens of messages injected into a run.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 100_000))]
    pub injection_tokens_max: u64,
    /// Tokens of a pack.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub pack_tokens_max: u64,
    /// Tokens of the conversation in a message list beside the pack.
    #[cfg_attr(feature = "schema", schema(minimum = 64, maximum = 1_000_000))]
    pub history_tokens_max: u64,
}

/// When chains of agents are stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct LoopLimits {
    /// Agent answers in a row after a message of a person: a message of this depth calls no agent.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 50))]
    pub response_depth_max: u64,
    /// Messages that two agents can exchange within the pair window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10_000))]
    pub pair_messages_max: u64,
    /// The length of the pair window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub pair_window_seconds: u64,
    /// Seconds that calls between two agents are held after the window was full.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub pair_silence_seconds: u64,
    /// Times that an agent can occur again in the chain of a message.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub chain_repeats_max: u64,
    /// Messages of agents in one conversation between two messages of people; the last one calls no agent. A larger
    /// value than the window of the loop guard has the effect of that window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 10_000))]
    pub conversation_answers_max: u64,
    /// Nearly equal messages of agents in one conversation between two messages of people; the last one calls no agent.
    /// A new text is never held.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100))]
    pub similar_answers_max: u64,
    /// Depth of calls between agents with one correlation id; a call back to an agent does not count.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 50))]
    pub correlation_depth_max: u64,
    /// Seconds that agents can call each other with one correlation id.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 31_536_000))]
    pub correlation_age_seconds: u64,
    /// Calls that agents can make with one correlation id within its window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 200))]
    pub correlation_calls_max: u64,
    /// The length of that window.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 86_400))]
    pub correlation_window_seconds: u64,
}

/// When agents are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct CallRules {
    /// Seconds that an agent follows a thread after it was mentioned or has written there.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 604_800))]
    pub follow_idle_seconds: u64,
    /// Messages without a mention that call an agent that follows a thread; 0 for none.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub follow_messages_max: u64,
    /// Agents that a wide mention can call.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 50))]
    pub wide_agents_max: u64,
    /// Open calls of one agent in one conversation.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000))]
    pub waiting_max: u64,
    /// Seconds until a call expires.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 31_536_000))]
    pub expire_seconds: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { injection_tokens_max: 512, pack_tokens_max: 1_024, history_tokens_max: 8_192 }
    }
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self {
            response_depth_max: 3,
            pair_messages_max: 20,
            pair_window_seconds: 60,
            pair_silence_seconds: 60,
            chain_repeats_max: 0,
            conversation_answers_max: 30,
            similar_answers_max: 3,
            correlation_depth_max: 2,
            correlation_age_seconds: 3_600,
            correlation_calls_max: 10,
            correlation_window_seconds: 60,
        }
    }
}

impl Default for CallRules {
    fn default() -> Self {
        Self {
            follow_idle_seconds: 600,
            follow_messages_max: 10,
            wide_agents_max: 10,
            waiting_max: 20,
            expire_seconds: 86_400,
        }
    }
}

impl Default for StreamRules {
    fn default() -> Self {
        Self { window_ms: 200, lease_seconds: 30 }
    }
}

impl Policy {
    /// Refuses a policy with a value that could stop the project from working, or the hub from bounding it.
    pub fn check(&self) -> Result<(), Refusal> {
        let (keep, budgets, loops, calls) = (&self.retention, &self.budgets, &self.loop_limits, &self.calls);
        let rows = [
            (
                "retention.messages_per_conversation_max",
                keep.messages_per_conversation_max.unwrap_or(1),
                1,
                1_000_000_000,
            ),
            ("retention.message_days_max", keep.message_days_max.unwrap_or(1), 1, 36_500),
            ("retention.event_days_max", keep.event_days_max.unwrap_or(1), 1, 36_500),
            ("retention.artifact_days_max", keep.artifact_days_max.unwrap_or(1), 1, 36_500),
            ("budgets.injection_tokens_max", budgets.injection_tokens_max, 64, 100_000),
            ("budgets.pack_tokens_max", budgets.pack_tokens_max, 64, 1_000_000),
            ("budgets.history_tokens_max", budgets.history_tokens_max, 64, 1_000_000),
            ("loop_limits.response_depth_max", loops.response_depth_max, 1, 50),
            ("loop_limits.pair_messages_max", loops.pair_messages_max, 1, 10_000),
            ("loop_limits.pair_window_seconds", loops.pair_window_seconds, 1, 86_400),
            ("loop_limits.pair_silence_seconds", loops.pair_silence_seconds, 1, 86_400),
            ("loop_limits.chain_repeats_max", loops.chain_repeats_max, 0, 50),
            ("loop_limits.conversation_answers_max", loops.conversation_answers_max, 1, 10_000),
            ("loop_limits.similar_answers_max", loops.similar_answers_max, 1, 100),
            ("loop_limits.correlation_depth_max", loops.correlation_depth_max, 1, 50),
            ("loop_limits.correlation_age_seconds", loops.correlation_age_seconds, 1, 31_536_000),
            ("loop_limits.correlation_calls_max", loops.correlation_calls_max, 1, 200),
            ("loop_limits.correlation_window_seconds", loops.correlation_window_seconds, 1, 86_400),
            ("calls.follow_idle_seconds", calls.follow_idle_seconds, 1, 604_800),
            ("calls.follow_messages_max", calls.follow_messages_max, 0, 50),
            ("calls.wide_agents_max", calls.wide_agents_max, 0, 50),
            ("calls.waiting_max", calls.waiting_max, 1, 1_000),
            ("calls.expire_seconds", calls.expire_seconds, 1, 31_536_000),
            ("streams.window_ms", self.streams.window_ms, 20, 10_000),
            ("streams.lease_seconds", self.streams.lease_seconds, 1, 3_600),
        ];
        for (field, value, least, most) in rows {
            if !(least..=most).contains(&value) {
                let detail = format!("{field} is {value}; the range is {least} to {most}");
                return Err(Refusal::out_of_bounds(detail).at(field));
            }
        }
        self.context.check().map_err(|refusal| refusal.at("context"))
    }
}

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

impl Retention {
    /// The offset up to which a log is pruned; nothing when all events are kept.
    ///
    /// `oldest` holds the first events of the log with their times, in the order of their offsets. The last of them is
    /// always kept, because the next offset follows from the end of the log. An old event behind a newer one is kept as
    /// well, because a log has no holes.
    pub fn prune_up_to(&self, oldest: &[(u64, Timestamp)], now: Timestamp) -> Option<u64> {
        let days = i64::try_from(self.event_days_max?).unwrap_or(i64::MAX);
        let kept_from = now.as_millis().saturating_sub(days.saturating_mul(DAY_MS));
        let (_, candidates) = oldest.split_last()?;
        let old = candidates.iter().take_while(|(_, at)| at.as_millis() < kept_from);
        old.last().map(|(offset, _)| *offset)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A policy that sets one field.
    fn with(section: &str, field: &str, value: u64) -> Policy {
        let fields: Value = json!({ section: { field: value } });
        serde_json::from_value(fields).expect("a known field")
    }

    #[test]
    fn the_defaults_pass_their_own_check() {
        assert_eq!(Policy::default().check(), Ok(()));
        assert_eq!(Policy::default().loop_limits.response_depth_max, 3);
    }

    #[test]
    fn a_partial_policy_takes_the_other_defaults() {
        let policy = with("loop_limits", "response_depth_max", 5);
        assert_eq!(policy.loop_limits.response_depth_max, 5);
        assert_eq!(policy.loop_limits.pair_messages_max, 20);
        assert_eq!((policy.budgets, policy.calls), (Budgets::default(), CallRules::default()));
    }

    #[test]
    fn a_policy_without_call_rules_is_accepted() {
        let old = r#"{"loop_limits":{"response_depth_max":4,"pair_messages_max":9,"pair_window_seconds":5,
                      "pair_silence_seconds":6}}"#;
        let policy: Policy = serde_json::from_str(old).expect("policy");
        assert_eq!((policy.loop_limits.pair_messages_max, policy.loop_limits.conversation_answers_max), (9, 30));
        assert_eq!(policy.check(), Ok(()));
    }

    #[test]
    fn every_limit_is_exact_and_its_path_is_named() {
        let bounds = [
            ("budgets", "injection_tokens_max", 64, 100_000),
            ("budgets", "pack_tokens_max", 64, 1_000_000),
            ("budgets", "history_tokens_max", 64, 1_000_000),
            ("retention", "message_days_max", 1, 36_500),
            ("loop_limits", "response_depth_max", 1, 50),
            ("loop_limits", "pair_messages_max", 1, 10_000),
            ("loop_limits", "pair_window_seconds", 1, 86_400),
            ("loop_limits", "pair_silence_seconds", 1, 86_400),
            ("loop_limits", "chain_repeats_max", 0, 50),
            ("loop_limits", "conversation_answers_max", 1, 10_000),
            ("loop_limits", "similar_answers_max", 1, 100),
            ("loop_limits", "correlation_depth_max", 1, 50),
            ("loop_limits", "correlation_age_seconds", 1, 31_536_000),
            ("loop_limits", "correlation_calls_max", 1, 200),
            ("loop_limits", "correlation_window_seconds", 1, 86_400),
            ("calls", "follow_idle_seconds", 1, 604_800),
            ("calls", "follow_messages_max", 0, 50),
            ("calls", "wide_agents_max", 0, 50),
            ("calls", "waiting_max", 1, 1_000),
            ("calls", "expire_seconds", 1, 31_536_000),
            ("streams", "window_ms", 20, 10_000),
            ("streams", "lease_seconds", 1, 3_600),
        ];
        for (section, field, least, most) in bounds {
            let path = format!("{section}.{field}");
            for inside in [least, most] {
                assert_eq!(with(section, field, inside).check(), Ok(()), "{path} {inside}");
            }
            let outside = [Some(most + 1), least.checked_sub(1), Some(u64::MAX)];
            for outside in outside.into_iter().flatten() {
                let refusal = with(section, field, outside).check().expect_err(&path);
                assert_eq!(refusal.field.as_deref(), Some(path.as_str()), "{outside}");
            }
        }
    }

    #[test]
    fn every_field_of_the_agent_rules_has_limits() {
        let json = serde_json::to_value(Policy::default()).expect("json");
        for section in ["loop_limits", "calls", "streams", "budgets"] {
            for field in json[section].as_object().expect("a section").keys() {
                assert!(with(section, field, u64::MAX).check().is_err(), "{section}.{field}");
            }
        }
    }

    #[test]
    fn the_default_budgets_are_the_documented_ones() {
        assert_eq!(
            Budgets::default(),
            Budgets { injection_tokens_max: 512, pack_tokens_max: 1_024, history_tokens_max: 8_192 }
        );
    }

    #[test]
    fn rules_of_the_context_are_refused_by_their_path() {
        let policy: Policy = serde_json::from_str(r#"{"context":{"quotas":{"sender_percent":0}}}"#).expect("a policy");
        assert_eq!(policy.check().expect_err("zero").field.as_deref(), Some("context.quotas.sender_percent"));
    }

    #[test]
    fn unknown_rules_are_refused() {
        for json in [r#"{"retentoin":{}}"#, r#"{"calls":{"folow":1}}"#, r#"{"loop_limits":{"depth":1}}"#] {
            assert!(serde_json::from_str::<Policy>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_log_is_pruned_up_to_its_last_old_event_before_a_newer_one_and_never_to_its_end() {
        const DAY: i64 = 86_400_000;
        let at = |day: i64| Timestamp::from_millis(day * DAY);
        let retention = Retention { event_days_max: Some(2), ..Retention::default() };
        let log = [(1, at(0)), (2, at(1)), (3, at(9)), (4, at(1)), (5, at(10))];
        assert_eq!(retention.prune_up_to(&log, at(10)), Some(2), "event 4 is old, and stays behind the newer event 3");
        assert_eq!(retention.prune_up_to(&log[..1], at(10)), None, "the last event stays");
        assert_eq!(retention.prune_up_to(&[], at(10)), None);
        assert_eq!(retention.prune_up_to(&log, at(2)), None, "an event is kept for its whole time");
        assert_eq!(Retention::default().prune_up_to(&log, at(10)), None);
    }
}
