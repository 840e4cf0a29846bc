//! A page goes on only from what the list itself can show.

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    Code, Timestamp,
    conversation::{Channel, ChannelPatch, Visibility},
    member::Person,
    message::Message,
    paging::{Page, PageRequest},
    project::Project,
    run::RunFilter,
    write::Write,
};

use crate::world::{Caller, World};
use parlour_hub::Failure;

/// Checks that a list refuses these keys, all in the same words.
async fn check_refused<T>(keys: &[&str], read: impl AsyncFn(PageRequest) -> Result<Page<T>, Failure>) {
    let mut told = Vec::new();
    for key in keys {
        let page = PageRequest::new(Some((*key).to_owned()), None).expect("a page");
        let failure = read(page).await.err().expect(key);
        let refusal = failure.refusal().expect("a refusal").clone();
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("cursor")), "{key}");
        told.push(refusal.detail.replace(key, "X"));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
}

/// A project with a private channel, seen by Bela, who is not in it, and another project.
struct Stage {
    bela: Person,
    tour: Project,
    fair: Project,
    general: Channel,
    secret: Channel,
    hidden: Message,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let (tour, fair) = (world.project("Tour", &mara).await, world.project("Fair", &mara).await);
    let secret = world.private_channel("secret", &tour, &[&mara]).await;
    Stage {
        bela: world.member("Bela", &tour).await,
        general: world.channel("general", &tour).await,
        hidden: world.post(&mara, &secret, "hidden").await,
        secret,
        tour,
        fair,
    }
}

/// The key of another list, of another project or of something hidden is refused like one that never was.
pub async fn a_conversation_that_the_list_cannot_show_is_no_key(world: World) {
    let stage = stage(&world).await;
    let (tour, bela) = (&stage.tour.id, stage.bela.principal());
    let hall = world.channel("hall", &stage.fair).await;
    let thread = world.thread(&stage.secret, &stage.hidden).await;
    let coder = world.agent("Coder", &stage.tour).await;
    let dm = world.dm(&stage.tour, &[&coder, &stage.bela]).await;
    let (secret, hall, thread) = (stage.secret.id.as_str(), hall.id.as_str(), thread.id.as_str());
    let keys = ["chn_none", "zzz", secret, hall, thread, dm.id.as_str()];
    check_refused(&keys, async |page| world.store().channels(tour, &bela, &page).await).await;
    let keys = ["thr_none", thread, stage.general.id.as_str()];
    check_refused(&keys, async |page| world.store().threads(&stage.general.id, &page).await).await;
    let keys = ["dm_none", dm.id.as_str(), hall];
    let olaf = world.person("Olaf").await.member();
    check_refused(&keys, async |page| world.store().dms(&olaf, None, &page).await).await;
    let keys = ["msg_none", "zzz", stage.hidden.id.as_str(), hall];
    check_refused(&keys, async |page| world.store().inbox(&coder.id, &InboxFilter::default(), &page).await).await;
}

/// The same holds for calls: only a message that calls the agent, where the agent may read, is a key.
pub async fn a_call_that_the_list_cannot_show_is_no_key(world: World) {
    let stage = stage(&world).await;
    let (coder, tester) = (world.agent("Coder", &stage.tour).await, world.agent("Tester", &stage.tour).await);
    let uncalled = world.post(&stage.bela, &stage.general, "for nobody").await;
    let of_tester = world.call(&stage.bela, &stage.general, &tester).await;
    let lost = world.call(&stage.bela, &stage.general, &coder).await;
    let close = ChannelPatch { visibility: Some(Visibility::Private), ..ChannelPatch::default() };
    let members = vec![stage.bela.member()];
    let write = Write::UpdateChannel(stage.general.id.clone(), close, members);
    world.change(&stage.tour.id, &stage.bela, write).await;
    let keys = ["msg_none", "zzz", uncalled.id.as_str(), of_tester.id.as_str(), lost.id.as_str()];
    let always = Timestamp::from_millis(0);
    check_refused(&keys, async |page| world.store().open_calls(&coder.id, always, &page).await).await;
}

/// The same holds for questions, runs and what is unread.
pub async fn a_question_or_run_that_the_list_cannot_show_is_no_key(world: World) {
    let stage = stage(&world).await;
    let (tour, bela) = (&stage.tour.id, stage.bela.principal());
    let coder = world.agent("Coder", &stage.tour).await;
    world.admit(&coder, &stage.secret).await;
    let hidden = world.ask(&coder, &stage.secret, &[&stage.bela]).await;
    let to_other = world.ask(&coder, &stage.general, &[&coder]).await;
    let robot = world.agent("Robot", &stage.fair).await;
    let (secret, foreign) = (world.start(&coder, Some(&stage.secret)).await, world.start(&robot, None).await);
    let keys = ["msg_none", "zzz", hidden.id.as_str(), stage.hidden.id.as_str()];
    check_refused(&keys, async |page| world.store().open_questions(tour, &bela, &page).await).await;
    check_refused(&keys, async |page| world.store().notable_unread(tour, &bela, &page).await).await;
    let keys = [keys.as_slice(), &[to_other.id.as_str()]].concat();
    check_refused(&keys, async |page| world.store().questions_to(&bela, None, &page).await).await;
    let (keys, all) = (["run_none", "zzz", secret.id.as_str(), foreign.id.as_str()], RunFilter::default());
    check_refused(&keys, async |page| world.store().runs(tour, &bela, &all, &page).await).await;
    check_refused(&["zzz"], async |page| world.store().open_runs(&page).await).await;
    let tester = world.agent("Tester", &stage.tour).await;
    let keys = ["chn_none", "zzz", stage.secret.id.as_str()];
    check_refused(&keys, async |page| world.store().digests(&tester.id, &page).await).await;
}

/// The same holds for members and for work.
pub async fn a_member_or_work_that_the_list_cannot_show_is_no_key(world: World) {
    let stage = stage(&world).await;
    let (tour, bela) = (&stage.tour.id, stage.bela.principal());
    let (robot, task) = (world.agent("Robot", &stage.fair).await, world.task("Build", &stage.fair).await);
    let batch = world.batch("Week", &stage.fair).await;
    let file = world.artifact("a.txt", &stage.tour, Some(&stage.secret)).await;
    let fair = stage.fair.id.as_str();
    check_refused(&["prj_none", fair], async |page| world.store().projects(&bela, &page).await).await;
    let keys = ["agt_none", robot.id.as_str(), stage.bela.id.as_str()];
    check_refused(&keys, async |page| world.store().agents(tour, &page).await).await;
    check_refused(&["zzz", fair], async |page| world.store().hosted_agents(&page).await).await;
    check_refused(&["zzz", fair], async |page| world.store().project_people(tour, &page).await).await;
    check_refused(&["zzz", fair], async |page| world.store().channel_members(&stage.secret.id, &page).await).await;
    check_refused(&["zzz", fair], async |page| world.store().subscribers(&stage.general.id, &page).await).await;
    check_refused(&["tsk_none", task.id.as_str()], async |page| world.store().tasks(tour, &page).await).await;
    check_refused(&["bat_none", batch.id.as_str()], async |page| world.store().batches(tour, &page).await).await;
    let keys = ["art_none", file.id.as_str()];
    check_refused(&keys, async |page| world.store().artifacts(tour, &bela, &page).await).await;
}
