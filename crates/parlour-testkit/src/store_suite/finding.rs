//! Finding by some of many words: rare words first, bounded, and never what the caller may not read.

use parlour_core::{access::Principal, conversation::Channel, limits, member::Person, project::Project};
use tokio::task::JoinSet;

use crate::world::{Caller, World};

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

async fn find_some(world: &World, stage: &Stage, caller: &Principal, words: &[&str], limit: usize) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let found =
        world.store().find_any(&stage.tour.id, std::slice::from_ref(caller), &words, limit).await.expect("found");
    found.into_iter().map(|message| message.body).collect()
}

async fn find(world: &World, stage: &Stage, words: &[&str]) -> Vec<String> {
    find_some(world, stage, &stage.mara.principal(), words, 100).await
}

/// Posts so many messages at once.
async fn post_many(world: &World, stage: &Stage, place: &Channel, count: usize, word: &str) {
    let mut posts = JoinSet::new();
    for number in 0..count {
        let (world, mara, place, body) =
            (world.clone(), stage.mara.clone(), place.clone(), format!("{word} number{number}"));
        posts.spawn(async move { world.post(&mara, &place, &body).await.seq });
    }
    assert_eq!(posts.join_all().await.len(), count);
}

/// A message that holds any of the words is found, as a search would compare them, each once and newest first.
pub async fn a_message_with_any_of_the_words_is_found(world: World) {
    let stage = stage(&world).await;
    for body in ["Ärger im BÜRO", "a quiet day", "deploy-now"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    assert_eq!(find(&world, &stage, &["arger", "now"]).await, ["deploy-now", "Ärger im BÜRO"]);
    assert_eq!(find(&world, &stage, &["Büro deploy", "büro"]).await, ["deploy-now", "Ärger im BÜRO"]);
    assert_eq!(find(&world, &stage, &["dep", "\"", "*", "", "NEAR("]).await, Vec::<String>::new());
    assert_eq!(find(&world, &stage, &[]).await, Vec::<String>::new());
}

/// The fewer messages hold a word, the more it counts.
pub async fn rare_words_count_most(world: World) {
    let stage = stage(&world).await;
    for body in ["rare one", "common one", "common two", "common three"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    let found = find(&world, &stage, &["common", "rare"]).await;
    assert_eq!(found, ["rare one", "common three", "common two", "common one"]);
}

/// Words count together, and a word that is asked for twice counts once.
pub async fn several_words_count_together(world: World) {
    let stage = stage(&world).await;
    for body in ["red green", "red", "blue", "green", "blue red green"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    let found = find(&world, &stage, &["red", "green", "RED", "red"]).await;
    assert_eq!(found, ["blue red green", "red green", "green", "red"]);
}

/// No more are found than are wanted, the best of all.
pub async fn only_so_many_are_found(world: World) {
    let stage = stage(&world).await;
    for body in ["rare", "common 1", "common 2", "common 3"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    let mara = stage.mara.principal();
    assert_eq!(find_some(&world, &stage, &mara, &["common", "rare"], 2).await, ["rare", "common 3"]);
    assert_eq!(find_some(&world, &stage, &mara, &["common", "rare"], 0).await, Vec::<String>::new());
}

/// Of a common word only the newest messages come into question.
pub async fn a_common_word_is_looked_for_among_the_newest(world: World) {
    let stage = stage(&world).await;
    world.post(&stage.mara, &stage.general, "word oldest").await;
    post_many(&world, &stage, &stage.general, limits::FIND_PER_WORD_MAX, "word").await;
    let mara = stage.mara.principal();
    let found = find_some(&world, &stage, &mara, &["word"], usize::MAX).await;
    assert_eq!(found.len(), limits::FIND_PER_WORD_MAX);
    assert!(!found.contains(&"word oldest".to_owned()));
    assert_eq!(find(&world, &stage, &["oldest"]).await, ["word oldest"]);
}

/// Only the first words are looked for.
pub async fn only_the_first_words_are_looked_for(world: World) {
    let stage = stage(&world).await;
    world.post(&stage.mara, &stage.general, "needle").await;
    let hay: Vec<String> = (1..limits::FIND_WORDS_MAX).map(|number| format!("hay{number}")).collect();
    let mut words: Vec<&str> = hay.iter().map(String::as_str).collect();
    words.push("needle");
    assert_eq!(find(&world, &stage, &words).await, ["needle"]);
    words.insert(0, "more");
    assert_eq!(find(&world, &stage, &words).await, Vec::<String>::new());
}

/// What is said in private is found by those who can read it, and by nobody else.
pub async fn words_are_found_by_their_readers_only(world: World) {
    let stage = stage(&world).await;
    let (root, outsider) = (world.admin("Root").await, world.person("Olaf").await);
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    let above = world.post(&stage.mara, &secret, "whisper channel").await;
    let thread = world.thread(&secret, &above).await;
    world.post(&stage.mara, &thread, "whisper thread").await;
    world.post(&stage.mara, &stage.general, "whisper aloud").await;
    let all = ["whisper aloud", "whisper thread", "whisper channel"];
    for (caller, expected) in
        [(&stage.mara, &all[..]), (&stage.bela, &all[..1]), (&root, &all[..1]), (&outsider, &[] as &[&str])]
    {
        let found = find_some(&world, &stage, &caller.principal(), &["whisper"], 9).await;
        assert_eq!(found, expected, "{}", caller.name);
    }
}

/// Hidden messages make no word more common, and take no place from those that the caller may read.
pub async fn hidden_messages_do_not_change_what_is_found(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    for body in ["alpha one", "beta one", "beta two"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    let bela = stage.bela.principal();
    let before = find_some(&world, &stage, &bela, &["alpha", "beta"], 9).await;
    assert_eq!(before, ["alpha one", "beta two", "beta one"]);
    post_many(&world, &stage, &secret, limits::FIND_PER_WORD_MAX + 50, "alpha").await;
    assert_eq!(find_some(&world, &stage, &bela, &["alpha", "beta"], 9).await, before);
    let mara = find(&world, &stage, &["alpha", "beta"]).await;
    assert_eq!(mara[..2], ["beta two", "beta one"]);
}

/// More hidden messages with a word than are looked at change nothing: neither what is found, nor how much the word counts.
pub async fn very_many_hidden_hits_hide_no_others(world: World) {
    let stage = stage(&world).await;
    let secret = world.private_channel("secret", &stage.tour, &[&stage.mara]).await;
    let above = world.post(&stage.mara, &stage.general, "alpha one").await;
    let thread = world.thread(&stage.general, &above).await;
    for body in ["alpha in a thread", "beta"] {
        world.post(&stage.mara, &thread, body).await;
    }
    let bela = stage.bela.principal();
    let before = find_some(&world, &stage, &bela, &["alpha", "beta"], 9).await;
    assert_eq!(before, ["beta", "alpha in a thread", "alpha one"]);
    post_many(&world, &stage, &secret, limits::FIND_CANDIDATES_MAX + 5, "alpha").await;
    assert_eq!(find_some(&world, &stage, &bela, &["alpha", "beta"], 9).await, before);
    let edited = world.edit(&stage.mara, &above, "alpha again").await;
    assert!(find_some(&world, &stage, &bela, &["alpha"], 9).await.contains(&edited.body));
}

/// A removed message is found by none of its words, and an edited one by its new words only.
pub async fn what_is_removed_is_not_found_by_any_word(world: World) {
    let stage = stage(&world).await;
    let removed = world.post(&stage.mara, &stage.general, "secret plan").await;
    let edited = world.post(&stage.mara, &stage.general, "old words").await;
    world.remove(&stage.mara, &removed).await;
    world.edit(&stage.mara, &edited, "new words").await;
    assert_eq!(find(&world, &stage, &["secret", "plan", "old"]).await, Vec::<String>::new());
    assert_eq!(find(&world, &stage, &["new"]).await, ["new words"]);
}

/// What is found stays within its project, even for a member of both.
pub async fn finding_stays_within_its_project(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    let hall = world.channel("hall", &fair).await;
    world.post(&stage.mara, &hall, "needle there").await;
    for body in ["needle here", "thread one", "thread two"] {
        world.post(&stage.mara, &stage.general, body).await;
    }
    let expected = ["needle here", "thread two", "thread one"];
    assert_eq!(find(&world, &stage, &["needle", "thread"]).await, expected);
    post_many(&world, &stage, &hall, 2 * limits::FIND_PER_WORD_MAX, "needle").await;
    assert_eq!(find(&world, &stage, &["needle", "thread"]).await, expected, "common elsewhere, and rare here");
}
