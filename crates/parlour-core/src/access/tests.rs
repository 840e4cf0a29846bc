use super::*;
use crate::{
    Timestamp,
    conversation::Visibility,
    id::{AgentId, ChannelId},
    message::tests::sample,
    policy::Policy,
};

fn caller(member: impl Into<MemberId>, role: Role) -> Principal {
    Principal::new(member, Name::parse("Mara").expect("name"), role)
}

fn person(bits: u128) -> Principal {
    caller(PersonId::from_bits(bits), Role::Person)
}

fn admin() -> Principal {
    caller(PersonId::from_bits(99), Role::Admin)
}

fn agent(bits: u128) -> Principal {
    caller(AgentId::from_bits(bits), Role::Agent(ProjectId::from_bits(1)))
}

fn project() -> Project {
    Project {
        id: ProjectId::from_bits(1),
        name: Name::parse("Tour").expect("name"),
        description: None,
        owner: PersonId::from_bits(1),
        policy: Policy::default(),
        created_at: Timestamp::from_millis(0),
    }
}

fn channel(created_by: MemberId) -> Channel {
    Channel {
        id: ChannelId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        name: Name::parse("general").expect("name"),
        topic: None,
        visibility: Visibility::Project,
        created_by: Some(created_by),
        created_at: Timestamp::from_millis(0),
        archived_at: None,
    }
}

fn membership(visibility: Visibility, is_project_member: bool, is_conversation_member: bool) -> Membership {
    Membership { visibility, is_project_member, is_conversation_member, is_archived: false }
}

#[test]
fn a_project_channel_is_read_by_members_of_the_project_only() {
    assert!(may_read(&person(1), &membership(Visibility::Project, true, false)));
    assert!(!may_read(&person(1), &membership(Visibility::Project, false, false)));
    assert!(may_read(&admin(), &membership(Visibility::Project, false, false)));
}

#[test]
fn a_private_conversation_is_read_by_its_members_only_even_by_administrators() {
    for caller in [person(1), agent(1), admin()] {
        assert!(!may_read(&caller, &membership(Visibility::Private, true, false)), "{caller:?}");
        assert!(may_read(&caller, &membership(Visibility::Private, true, true)), "{caller:?}");
    }
}

#[test]
fn a_member_who_left_the_project_cannot_read_its_conversations() {
    assert!(!may_read(&person(1), &membership(Visibility::Private, false, true)));
}

#[test]
fn archived_channels_refuse_writes() {
    let archived = Membership { is_archived: true, ..membership(Visibility::Project, true, false) };
    assert_eq!(check_write(&archived).expect_err("archived").code, Code::Archived);
    assert_eq!(check_write(&membership(Visibility::Project, true, false)), Ok(()));
}

#[test]
fn a_channel_is_managed_by_its_creator_the_owner_and_administrators() {
    let made_by_agent = channel(AgentId::from_bits(5).into());
    for allowed in [agent(5), person(1), admin()] {
        assert_eq!(check_manage_channel(&allowed, &made_by_agent, &project()), Ok(()), "{allowed:?}");
    }
    for refused in [agent(6), person(2)] {
        assert!(check_manage_channel(&refused, &made_by_agent, &project()).is_err(), "{refused:?}");
    }
}

#[test]
fn only_the_author_can_edit_and_only_before_the_removal() {
    let author = caller("per_1".parse::<MemberId>().expect("id"), Role::Person);
    assert_eq!(check_edit(&author, &sample()), Ok(()));
    assert!(check_edit(&admin(), &sample()).is_err());
    let removed = sample().removed(Timestamp::from_millis(3));
    assert_eq!(check_edit(&author, &removed).expect_err("removed").code, Code::Removed);
}

#[test]
fn the_owner_and_administrators_can_remove_messages_of_others() {
    assert_eq!(check_remove(&person(1), &sample(), &project()), Ok(()));
    assert_eq!(check_remove(&admin(), &sample(), &project()), Ok(()));
    assert!(check_remove(&person(2), &sample(), &project()).is_err());
    assert!(check_remove(&agent(1), &sample(), &project()).is_err());
}

#[test]
fn only_the_author_can_continue_a_stream() {
    let author = caller("per_1".parse::<MemberId>().expect("id"), Role::Person);
    assert_eq!(check_produce(&author, &sample()), Ok(()));
    for other in [person(2), agent(1), admin()] {
        assert_eq!(check_produce(&other, &sample()).expect_err("not its author").code, Code::Forbidden);
    }
}

#[test]
fn people_who_may_write_can_cancel_streams_and_other_agents_cannot() {
    let answer = Message { from: agent(1).author(), ..sample() };
    let open = membership(Visibility::Project, true, false);
    let archived = Membership { is_archived: true, ..open };
    for (who, membership) in [(agent(1), archived), (person(1), archived), (admin(), archived), (person(2), open)] {
        assert_eq!(check_cancel(&who, &answer, &project(), &membership), Ok(()), "{who:?}");
    }
    let refused =
        |who: &Principal, membership| check_cancel(who, &answer, &project(), &membership).expect_err("no").code;
    assert_eq!(refused(&agent(2), open), Code::Forbidden);
    assert_eq!(refused(&person(2), archived), Code::Archived);
}

#[test]
fn only_administrators_act_for_another_member() {
    let target: MemberId = AgentId::from_bits(1).into();
    assert_eq!(check_acts_for(&agent(1), &target), Ok(()));
    assert_eq!(check_acts_for(&admin(), &target), Ok(()));
    assert!(check_acts_for(&agent(2), &target).is_err());
    assert!(check_acts_for(&person(1), &target).is_err());
}

#[test]
fn agents_are_not_people_and_people_are_not_administrators() {
    assert!(agent(1).person().is_err());
    assert!(person(1).check_admin().is_err());
    assert_eq!(admin().check_admin(), Ok(()));
}

fn with_scopes(who: Principal, scopes: impl IntoIterator<Item = Scope>) -> Principal {
    who.granted(Grant { scopes: scopes.into_iter().collect(), ..Grant::whole() })
}

#[test]
fn an_administrator_without_the_scope_admin_is_an_ordinary_person() {
    assert!(with_scopes(admin(), Scopes::all().iter()).is_admin());
    let narrow = with_scopes(admin(), Scopes::all().without(Scope::Admin).iter());
    assert_eq!(narrow.role, Role::Person);
    assert!(!may_see_project(&narrow, false));
    assert!(!with_scopes(person(1), [Scope::Admin]).is_admin(), "a scope alone makes nobody an administrator");
}

#[test]
fn a_missing_scope_is_named() {
    let reader = with_scopes(person(1), [Scope::MessagesRead]);
    assert_eq!(reader.check_scope(Scope::MessagesRead), Ok(()));
    let refusal = reader.check_scope(Scope::MessagesWrite).expect_err("missing");
    assert_eq!(refusal.code, Code::MissingScope);
    assert!(refusal.detail.contains("messages:write"), "{refusal}");
}

#[test]
fn default_scopes_are_those_of_the_member_type_within_the_givers_own() {
    let (mara, coder) = (MemberId::from(PersonId::from_bits(1)), MemberId::from(AgentId::from_bits(1)));
    assert_eq!(given_scopes(&person(1), &mara, None), Ok(Scopes::all()));
    assert_eq!(given_scopes(&person(1), &coder, None), Ok(JoinRole::Full.scopes()));
    let narrow = with_scopes(person(1), [Scope::MessagesRead, Scope::Admin]);
    assert_eq!(given_scopes(&narrow, &mara, None), Ok(narrow.grant.scopes));
    assert_eq!(given_scopes(&narrow, &coder, None), Ok([Scope::MessagesRead].into_iter().collect()));
}

#[test]
fn every_scope_beyond_the_givers_own_is_refused_and_named() {
    let mara = MemberId::from(PersonId::from_bits(1));
    for scope in Scope::ALL.iter().copied() {
        let narrow = with_scopes(person(1), Scopes::all().without(scope).iter());
        let refusal = given_scopes(&narrow, &mara, Some(Scopes::all())).expect_err("beyond");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Forbidden, Some("scopes")));
        assert!(refusal.detail.ends_with(&format!(": {scope}")), "{refusal}");
        assert_eq!(check_gives(&narrow, [scope].into_iter().collect()).expect_err("beyond").code, Code::Forbidden);
        assert_eq!(check_gives(&narrow, narrow.grant.scopes), Ok(()));
    }
}

#[test]
fn agents_can_have_every_scope_except_those_of_people() {
    let coder = MemberId::from(AgentId::from_bits(1));
    for scope in Scope::ALL.iter().copied() {
        let is_for_people = matches!(scope, Scope::Admin | Scope::ProjectsManage | Scope::MentionsWide);
        let given = given_scopes(&admin(), &coder, Some([scope].into_iter().collect()));
        assert_eq!(given.is_err(), is_for_people, "{scope}");
    }
}

#[test]
fn an_invite_is_managed_by_its_creator_the_owner_and_administrators() {
    let invite = Invite {
        id: crate::id::InviteId::from_bits(1),
        project_id: ProjectId::from_bits(1),
        role: JoinRole::Full,
        label: String::new(),
        uses_max: 1,
        uses: 0,
        created_by: PersonId::from_bits(2).into(),
        created_at: Timestamp::from_millis(0),
        expires_at: Timestamp::from_millis(1),
    };
    for allowed in [person(2), person(1), admin()] {
        assert_eq!(check_manage_invite(&allowed, &invite, &project()), Ok(()), "{allowed:?}");
    }
    for refused in [person(3), agent(2)] {
        assert_eq!(check_manage_invite(&refused, &invite, &project()).expect_err("no").code, Code::Forbidden);
    }
}

#[test]
fn a_token_that_cannot_read_never_gets_the_text_of_others() {
    let author = caller("per_1".parse::<MemberId>().expect("id"), Role::Person);
    let writer = with_scopes(person(2), [Scope::MessagesWrite]);
    let shown = shown_to(&writer, sample());
    assert_eq!((shown.body.as_str(), shown.removed_at, shown.id, shown.seq), ("", None, sample().id, sample().seq));
    assert_eq!(
        shown_to(&with_scopes(author, [Scope::MessagesWrite]), sample()),
        sample(),
        "the author gets its own text"
    );
    assert_eq!(shown_to(&person(2), sample()), sample(), "a reader gets the text");
}

#[test]
fn an_agent_loses_its_subscription_calls_and_unread_messages_with_a_channel_and_a_person_nothing() {
    let agent = MemberId::Agent(AgentId::from_bits(1));
    let lost = [AccessLoss::Subscription, AccessLoss::OpenCalls, AccessLoss::UnreadMessages];
    assert_eq!(lost_with_access(&agent), lost);
    assert_eq!(lost_with_access(&MemberId::Person(PersonId::from_bits(1))), []);
}

#[test]
fn agents_outside_a_closed_channel_lose_access() {
    let (one, other) = (AgentId::from_bits(1), AgentId::from_bits(2));
    let members = [one.clone().into(), PersonId::from_bits(2).into()];
    assert_eq!(agents_losing_access(vec![one, other.clone()], &members), [other]);
}

#[test]
fn a_person_who_leaves_a_project_leaves_channels_and_keeps_dms() {
    assert!(leaves_with_project(ConversationType::Channel));
    assert!(!leaves_with_project(ConversationType::Dm));
}
