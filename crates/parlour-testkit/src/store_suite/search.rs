//! Search finds what holds all words, newest first, and never what the caller may not read.

use parlour_core::{
    access::Principal, conversation::Channel, limits, member::Person, paging::PageRequest, project::Project,
    search_query::SearchQuery,
};
use tokio::task::JoinSet;

use crate::world::{Caller, Place, World, read_all};

/// More messages than one call of a search looks at.
const MANY: usize = limits::SEARCH_CANDIDATES_MAX + 100;

struct Stage {
    mara: Person,
    bela: Person,
    tour: Project,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage { bela: world.member("Bela", &tour).await, general: world.channel("general", &tour).await, mara, tour }
}

/// The texts that a search finds, read to its end in pages of this many.
async fn find(world: &World, project: &Project, caller: &Principal, text: &str, limit: usize) -> Vec<String> {
    let query = SearchQuery::parse(text).expect("a query");
    let read = async |page: PageRequest| world.store().search(&project.id, caller, &query, &page).await;
    read_all(limit, read).await.into_iter().map(|message| message.body).collect()
}

/// Checks what Mara finds in the channel after these texts were posted.
async fn check_found(world: &World, bodies: &[&str], cases: &[(&str, &[&str])]) {
    let stage = stage(world).await;
    for body in bodies {
        world.post(&stage.mara, &stage.general, body).await;
    }
    for (text, expected) in cases {
        let found = find(world, &stage.tour, &stage.mara.principal(), text, 50).await;
        assert_eq!(found, *expected, "{text}");
    }
}

/// A hit holds all words of the search, in any order and any case.
pub async fn a_hit_holds_all_words(world: World) {
    let bodies = ["Deploy the server", "the SERVER is down, deploy later", "deploy nothing"];
    let both: &[&str] = &["the SERVER is down, deploy later", "Deploy the server"];
    let cases: &[(&str, &[&str])] =
        &[("server deploy", both), ("SERVER", both), ("nothing server", &[]), ("serv", &[]), ("unheard", &[])];
    check_found(&world, &bodies, cases).await;
}

/// A word with a star finds what begins like it.
pub async fn a_star_finds_beginnings(world: World) {
    let bodies = ["deployment done", "deploy now", "redeploy"];
    let cases: &[(&str, &[&str])] =
        &[("deplo*", &["deploy now", "deployment done"]), ("deplo* done", &["deployment done"]), ("ploy*", &[])];
    check_found(&world, &bodies, cases).await;
}

/// A phrase finds its words side by side only.
pub async fn a_phrase_finds_words_side_by_side(world: World) {
    let bodies = ["big red dog", "red big dog", "a Big   Red house"];
    let cases: &[(&str, &[&str])] =
        &[("\"big red\"", &["a Big   Red house", "big red dog"]), ("\"big red\" dog", &["big red dog"])];
    check_found(&world, &bodies, cases).await;
}

/// What looks like an operator of a search language is a word like any other.
pub async fn operators_are_plain_words(world: World) {
    let bodies = ["cats AND dogs", "cats", "NOT near", "body text (x) -y"];
    let cases: &[(&str, &[&str])] = &[
        ("cats AND dogs", &["cats AND dogs"]),
        ("cats OR", &[]),
        ("NOT", &["NOT near"]),
        ("body:text", &["body text (x) -y"]),
        ("-y", &["body text (x) -y"]),
        ("'; x", &["body text (x) -y"]),
    ];
    check_found(&world, &bodies, cases).await;
}

/// Letters of every script are words.
pub async fn words_of_every_script_are_found(world: World) {
    let bodies = ["Ärger im Büro", "привет мир", "日本語 テスト"];
    let cases: &[(&str, &[&str])] =
        &[("büro", &["Ärger im Büro"]), ("Привет", &["привет мир"]), ("日本語", &["日本語 テスト"])];
    check_found(&world, &bodies, cases).await;
}

/// Hits come newest first, and pages of any size give each of them exactly once.
pub async fn hits_come_newest_first_each_exactly_once(world: World) {
    let stage = stage(&world).await;
    let random = world.channel("random", &stage.tour).await;
    let mut expected = Vec::new();
    for number in 0..12 {
        let place = if number % 3 == 0 { &random } else { &stage.general };
        let body = if number % 4 == 0 { format!("noise {number}") } else { format!("signal {number}") };
        world.post(&stage.mara, place, &body).await;
        expected.extend((number % 4 != 0).then_some(body));
    }
    expected.reverse();
    for limit in [1, 2, 3, 8, 9, 10, 50] {
        let found = find(&world, &stage.tour, &stage.mara.principal(), "signal", limit).await;
        assert_eq!(found, expected, "pages of {limit}");
    }
}

/// A search that looks at more than one call may still reaches its end, past many messages that it may not show.
pub async fn a_search_reaches_its_end_past_many_hidden_messages(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    world.post(&stage.mara, &stage.general, "needle below").await;
    let mut posts = JoinSet::new();
    for number in 0..MANY {
        let (world, mara, secret) = (world.clone(), stage.mara.clone(), secret.clone());
        posts.spawn(async move { world.post(&mara, &secret, &format!("needle {number}")).await.seq });
    }
    assert_eq!(posts.join_all().await.len(), MANY);
    world.post(&stage.mara, &stage.general, "needle above").await;
    let found = find(&world, &stage.tour, &stage.bela.principal(), "needle", 50).await;
    assert_eq!(found, ["needle above", "needle below"]);
    assert_eq!(find(&world, &stage.tour, &stage.mara.principal(), "needle", 200).await.len(), MANY + 2);
}

/// What is said in private channels, their threads and dms is found by those who can read it, and by nobody else.
pub async fn private_words_are_found_by_their_readers_only(world: World) {
    let stage = stage(&world).await;
    let (coder, root) = (world.agent("Coder", &stage.tour).await, world.admin("Root").await);
    let outsider = world.person("Olaf").await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    let above = world.post(&stage.mara, &secret, "whisper channel").await;
    let thread = world.thread(&secret, &above).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &coder]).await;
    world.post(&stage.mara, &thread, "whisper thread").await;
    world.post(&stage.mara, &dm, "whisper dm").await;
    world.post(&stage.mara, &stage.general, "whisper aloud").await;
    let all = ["whisper aloud", "whisper dm", "whisper thread", "whisper channel"];
    for (caller, expected) in [
        (&stage.mara as &dyn Caller, &all[..]),
        (&coder, &["whisper aloud", "whisper dm"]),
        (&stage.bela, &["whisper aloud"]),
        (&root, &["whisper aloud"]),
        (&outsider, &[]),
    ] {
        let found = find(&world, &stage.tour, &caller.principal(), "whisper", 2).await;
        assert_eq!(found, expected, "{}", caller.principal().name);
    }
}

/// There is a next page only for another hit: messages that the caller may not read make none.
pub async fn hidden_messages_make_no_next_page(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    world.post(&stage.mara, &secret, "payroll hidden").await;
    world.post(&stage.mara, &stage.general, "payroll shown").await;
    let query = SearchQuery::parse("payroll").expect("a query");
    let one = PageRequest::new(None, Some(1)).expect("a page");
    for (caller, has_next) in [(&stage.mara, true), (&stage.bela, false)] {
        let page = world.store().search(&stage.tour.id, &caller.principal(), &query, &one).await.expect("a page");
        assert_eq!((page.items.len(), page.next.is_some()), (1, has_next), "{}", caller.name);
    }
}

/// A search stays within its project, even for a member of both.
pub async fn a_search_stays_within_its_project(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let hall = world.channel("hall", &fair).await;
    world.post(&stage.mara, &hall, "needle there").await;
    world.post(&stage.mara, &stage.general, "needle here").await;
    assert_eq!(find(&world, &stage.tour, &stage.mara.principal(), "needle", 9).await, ["needle here"]);
    assert_eq!(find(&world, &fair, &stage.mara.principal(), "needle", 9).await, ["needle there"]);
}

/// An edited message is found by its new text only.
pub async fn an_edited_message_is_found_by_its_new_text(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "old words").await;
    world.edit(&stage.mara, &message, "new words").await;
    let caller = stage.mara.principal();
    assert_eq!(find(&world, &stage.tour, &caller, "old", 9).await, Vec::<String>::new());
    assert_eq!(find(&world, &stage.tour, &caller, "new words", 9).await, ["new words"]);
}

/// A removed message is never found again, neither by its first nor by its edited text.
pub async fn a_removed_message_is_never_found(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "secret plan").await;
    let message = world.edit(&stage.mara, &message, "secret scheme").await;
    world.remove(&stage.mara, &message).await;
    for text in ["secret", "plan", "scheme", "s*"] {
        assert_eq!(find(&world, &stage.tour, &stage.mara.principal(), text, 9).await, Vec::<String>::new(), "{text}");
    }
    assert_eq!(world.history(&stage.general.conversation_id()).await.len(), 1);
}

/// Hits are whole messages as they are now.
pub async fn a_hit_is_the_message_as_it_is_now(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "needle").await;
    world.thread(&stage.general, &message).await;
    let query = SearchQuery::parse("needle").expect("a query");
    let page = PageRequest::first();
    let found = world.store().search(&stage.tour.id, &stage.mara.principal(), &query, &page).await.expect("found");
    let now = world.store().message(&message.id).await.expect("read").expect("a message");
    assert!(now.thread_id.is_some());
    assert_eq!(found.items, [now]);
}
