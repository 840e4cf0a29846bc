//! Calls: made with their message, each once.

use std::slice;

use parlour_core::{
    Code,
    call::{Call, CallReason, CallState, Calls, Held, HoldRule, NewCall},
    conversation::Channel,
    event::Change,
    id::AgentId,
    member::{Agent, Person},
    message::{Cause, Message},
    project::Project,
    write::{Archival, Ending, Write},
};

use crate::world::{Caller, World};

/// A project with two agents and a channel in which they can be called.
pub(super) struct Stage {
    pub(super) mara: Person,
    pub(super) tour: Project,
    pub(super) coder: Agent,
    pub(super) tester: Agent,
    pub(super) general: Channel,
}

pub(super) async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage {
        coder: world.agent("Coder", &tour).await,
        tester: world.agent("Tester", &tour).await,
        general: world.channel("general", &tour).await,
        mara,
        tour,
    }
}

impl Stage {
    /// Everything that the port shows of the project.
    pub(super) async fn shot(&self, world: &World) -> crate::Snapshot {
        world.snapshot(&self.tour, &[&self.mara, &self.coder, &self.tester]).await
    }

    /// Lets an agent pass, and tells what happened.
    pub(super) async fn pass(&self, world: &World, agent: &Agent, message: &Message) -> Change {
        world.change(&self.tour.id, agent, world.passing(agent, message)).await
    }
}

/// The call of an agent by a message.
pub(super) async fn call(world: &World, agent: &Agent, message: &Message) -> Option<Call> {
    world.store().call(&agent.id, &message.id).await.expect("read")
}

/// How far that is.
pub(super) async fn state(world: &World, agent: &Agent, message: &Message) -> CallState {
    call(world, agent, message).await.expect("a call").state
}

/// A call by a mention.
pub(super) fn new_call(agent: &Agent) -> NewCall {
    NewCall { agent_id: agent.id.clone(), reason: CallReason::Mention }
}

/// A post records one call for each agent, however often it is named, and the message names those agents.
pub async fn a_post_calls_each_agent_once(world: World) {
    let stage = stage(&world).await;
    let mut draft = world.draft(&stage.coder, &stage.general, "@Tester @Coder @Tester");
    draft.message.cause = Some(Cause { depth: 2, chain: Vec::new(), agents: Vec::new(), message_id: None });
    draft.message.correlation_id = Some("job-7".into());
    let draft = draft.calling(&stage.tester, CallReason::Mention).calling(&stage.coder, CallReason::Follow);
    let message = world.send(&stage.coder, &draft.calling(&stage.tester, CallReason::Mention)).await;
    assert_eq!(message.calls, [stage.tester.id.clone(), stage.coder.id.clone()]);
    assert_eq!(world.store().message(&message.id).await.expect("read"), Some(message.clone()));
    for (agent, reason) in [(&stage.tester, CallReason::Mention), (&stage.coder, CallReason::Follow)] {
        let expected = Call {
            agent_id: agent.id.clone(),
            message_id: message.id.clone(),
            project_id: stage.tour.id.clone(),
            conversation_id: message.to.clone(),
            reason,
            from: stage.coder.author(),
            depth: 2,
            correlation_id: Some("job-7".into()),
            called_at: world.now(),
            state: CallState::Open,
            answer_id: None,
        };
        assert_eq!(call(&world, agent, &message).await, Some(expected.clone()));
        assert_eq!(world.store().recent_calls(slice::from_ref(&agent.id), 9).await.expect("read"), [expected]);
    }
}

/// Who is mentioned and told is not called by that; what a message says of its calls itself does not count.
pub async fn a_post_that_calls_nobody_leaves_no_call(world: World) {
    let stage = stage(&world).await;
    let mut draft = world.draft(&stage.mara, &stage.general, "@Coder").mentioning(&stage.coder);
    draft.message.calls = vec![stage.coder.id.clone()];
    let message = world.send(&stage.mara, &draft).await;
    assert_eq!(message.calls, Vec::<AgentId>::new());
    assert_eq!(call(&world, &stage.coder, &message).await, None);
}

/// An agent that cannot read the conversation is not called, and the message does not name it; others are called.
pub async fn an_agent_that_cannot_read_is_not_called(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara, &stage.tester]).await;
    let draft = world.draft(&stage.mara, &secret, "both").calling(&stage.coder, CallReason::Mention);
    let posted = world.send(&stage.mara, &draft.calling(&stage.tester, CallReason::Mention)).await;
    let begun = world.stream(&stage.mara, &secret, "").await;
    let calls = Calls { called: vec![new_call(&stage.coder), new_call(&stage.tester)], held: Vec::new() };
    let finished = world.finish(&stage.mara, &begun, Ending { calls, ..world.ending("both") }).await;
    for message in [&posted, &finished] {
        assert_eq!(message.calls, slice::from_ref(&stage.tester.id));
        assert_eq!(call(&world, &stage.coder, message).await, None);
        assert_eq!(state(&world, &stage.tester, message).await, CallState::Open);
    }
}

/// A post that is refused leaves no call, even of those who could be called.
pub async fn a_refused_post_leaves_no_call(world: World) {
    let stage = stage(&world).await;
    let unknown = world.new_agent("Stranger", &stage.tour);
    let draft = world.draft(&stage.mara, &stage.general, "hi").calling(&stage.coder, CallReason::Mention);
    let before = stage.shot(&world).await;
    let with_unknown = draft.clone().calling(&unknown, CallReason::Mention);
    assert_eq!(world.refusal(&stage.tour.id, &stage.mara, with_unknown.write()).await, Code::NotFound);
    assert_eq!(stage.shot(&world).await, before);
    let archival = Write::ArchiveChannel(stage.general.id.clone(), Archival::Archived);
    world.change(&stage.tour.id, &stage.mara, archival).await;
    let before = stage.shot(&world).await;
    assert_eq!(world.refusal(&stage.tour.id, &stage.mara, draft.write()).await, Code::Archived);
    assert_eq!(stage.shot(&world).await, before);
    assert_eq!(call(&world, &stage.coder, &draft.message).await, None);
}

/// A repeated post gets the first answer and calls nobody again: neither the same agents nor others.
pub async fn a_repeated_post_calls_nobody_again(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "hi").calling(&stage.coder, CallReason::Mention);
    let message = world.send(&stage.mara, &draft).await;
    world.answer(&stage.coder, &stage.general, &message).await;
    let before = stage.shot(&world).await;
    let again = draft.calling(&stage.tester, CallReason::Mention);
    let told = world.repeat(&stage.tour.id, &stage.mara, again.write()).await;
    assert_eq!(told, Change::MessagePosted(Box::new(message)));
    assert_eq!(stage.shot(&world).await, before);
}

/// A stream calls at its end: then is when its agents were called, and the message names them and those who are held.
pub async fn an_ending_calls_at_its_moment(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.mara, &stage.general, "@Cod").await;
    assert_eq!(call(&world, &stage.coder, &begun).await, None);
    let held = Held {
        agent_id: stage.tester.id.clone(),
        name: stage.tester.name.clone(),
        rule: HoldRule::Waiting,
        until: None,
    };
    let calls = Calls { called: vec![new_call(&stage.coder)], held: vec![held.clone()] };
    let finished = world.finish(&stage.mara, &begun, Ending { calls, ..world.ending("@Coder @Tester") }).await;
    assert_eq!((&finished.calls[..], &finished.held[..]), (&[stage.coder.id.clone()][..], &[held][..]));
    assert_eq!(world.store().message(&begun.id).await.expect("read"), Some(finished));
    assert_eq!(call(&world, &stage.coder, &begun).await.expect("a call").called_at, world.now());
    assert_eq!(call(&world, &stage.tester, &begun).await, None);
}

/// The same ending again calls nobody, also when other agents would be called or held by now.
pub async fn a_repeated_ending_calls_nobody_again(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.mara, &stage.general, "").await;
    let ending = |agent: &Agent| {
        let calls = Calls { called: vec![new_call(agent)], held: Vec::new() };
        Ending { calls, ..world.ending("done") }
    };
    world.finish(&stage.mara, &begun, ending(&stage.coder)).await;
    stage.pass(&world, &stage.coder, &begun).await;
    let before = stage.shot(&world).await;
    for agent in [&stage.coder, &stage.tester] {
        let write = Write::FinishMessage(begun.id.clone(), ending(agent));
        world.repeat(&stage.tour.id, &stage.mara, write).await;
        assert_eq!(stage.shot(&world).await, before);
    }
}
