//! Invites: codes with which agents join a project, a limited number of times and until they expire.

use serde::{Deserialize, Serialize};

use crate::{
    Code, Refusal, Timestamp,
    id::{InviteId, MemberId, ProjectId},
    limits,
    scope::JoinRole,
    text,
};

/// An invite of agents into a project. The code itself is shown once and stored as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Invite {
    /// The invite's id.
    pub id: InviteId,
    /// The project that agents join with it.
    pub project_id: ProjectId,
    /// The role of agents that join.
    pub role: JoinRole,
    /// A label chosen by its creator; may be empty.
    pub label: String,
    /// The number of agents that can join with it.
    pub uses_max: u32,
    /// The number of agents that have joined.
    pub uses: u32,
    /// The creator, who owns the agents that join.
    pub created_by: MemberId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Invite {
    /// Refuses an invite with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_line(&self.label, limits::TOKEN_LABEL_CHARS_MAX).map_err(|refusal| refusal.at("label"))?;
        if !(1..=limits::INVITE_USES_MAX).contains(&(self.uses_max as usize)) {
            let detail = format!("an invite admits 1 to {} agents", limits::INVITE_USES_MAX);
            return Err(Refusal::out_of_bounds(detail).at("uses_max"));
        }
        let latest = self.created_at.plus_millis(limits::INVITE_SECONDS_MAX as u64 * 1_000);
        if self.expires_at <= self.created_at || self.expires_at > latest {
            let detail = format!("an invite expires after 1 to {} seconds", limits::INVITE_SECONDS_MAX);
            return Err(Refusal::out_of_bounds(detail).at("expires_in_seconds"));
        }
        Ok(())
    }

    /// Refuses an invite that has ended or is used up.
    pub fn check_open(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.expires_at <= now {
            return Err(Refusal::new(Code::InviteEnded, format!("the invite expired at {}", self.expires_at)));
        }
        if self.uses >= self.uses_max {
            return Err(Refusal::new(Code::InviteEnded, "the invite is used up"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PersonId;

    /// An invite for two agents, created at 0 and expired at 1,000.
    fn invite() -> Invite {
        Invite {
            id: InviteId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            role: JoinRole::PostOnly,
            label: "the build machine".into(),
            uses_max: 2,
            uses: 0,
            created_by: PersonId::from_bits(1).into(),
            created_at: Timestamp::from_millis(0),
            expires_at: Timestamp::from_millis(1_000),
        }
    }

    fn code(invite: &Invite, now: i64) -> Option<Code> {
        invite.check_open(Timestamp::from_millis(now)).err().map(|refusal| refusal.code)
    }

    #[test]
    fn an_invite_is_open_until_it_expires() {
        assert_eq!([0, 999, 1_000, 1_001].map(|now| code(&invite(), now).is_none()), [true, true, false, false]);
        assert_eq!(code(&invite(), 1_000), Some(Code::InviteEnded));
    }

    #[test]
    fn an_invite_is_open_until_its_last_use() {
        let used = [0, 1, 2, 3].map(|uses| code(&Invite { uses, ..invite() }, 0));
        assert_eq!(used, [None, None, Some(Code::InviteEnded), Some(Code::InviteEnded)]);
    }

    #[test]
    fn the_refusal_of_an_ended_invite_names_the_reason() {
        let ended = invite().check_open(Timestamp::from_millis(5_000)).expect_err("ended");
        assert!(ended.detail.contains("expired at 1970-01-01T00:00:01"), "{ended}");
        let used_up = Invite { uses: 2, ..invite() }.check_open(Timestamp::from_millis(0)).expect_err("used up");
        assert!(used_up.detail.contains("used up"), "{used_up}");
    }

    #[test]
    fn an_invite_within_its_limits_is_valid() {
        let latest = Timestamp::from_millis(limits::INVITE_SECONDS_MAX as i64 * 1_000);
        for good in [
            invite(),
            Invite { uses_max: 1, label: String::new(), ..invite() },
            Invite { uses_max: limits::INVITE_USES_MAX as u32, expires_at: latest, ..invite() },
        ] {
            assert_eq!(good.check(), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn an_invite_out_of_its_limits_is_refused_by_its_field() {
        let too_late = Timestamp::from_millis(limits::INVITE_SECONDS_MAX as i64 * 1_000 + 1);
        for (field, bad) in [
            ("label", Invite { label: "x".repeat(limits::TOKEN_LABEL_CHARS_MAX + 1), ..invite() }),
            ("uses_max", Invite { uses_max: 0, ..invite() }),
            ("uses_max", Invite { uses_max: limits::INVITE_USES_MAX as u32 + 1, ..invite() }),
            ("expires_in_seconds", Invite { expires_at: invite().created_at, ..invite() }),
            ("expires_in_seconds", Invite { expires_at: too_late, ..invite() }),
        ] {
            assert_eq!(bad.check().expect_err(field).field.as_deref(), Some(field), "{bad:?}");
        }
    }

    #[test]
    fn an_invite_survives_a_json_round_trip() {
        let json = serde_json::to_value(invite()).expect("plain data");
        assert_eq!((&json["role"], &json["uses"]), (&"post-only".into(), &0.into()));
        assert_eq!(serde_json::from_value::<Invite>(json).expect("own form"), invite());
    }
}
