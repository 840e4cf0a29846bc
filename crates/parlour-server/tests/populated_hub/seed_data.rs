//! The seed data. All private data contains the word `zyzzyva`, and nothing else does.

/// The label of the created item, the caller, the request and its body.
pub(crate) type SeedStep = (&'static str, &'static str, &'static str, &'static str);

/// The project of Mara. Ben and the agent Clerk are members, but of no private conversation.
pub(crate) const PUBLIC_DATA: &[SeedStep] = &[
    ("mara", "admin", "POST /people", r#"{"name":"Mara"}"#),
    ("ben", "admin", "POST /people", r#"{"name":"Ben"}"#),
    ("cleo", "admin", "POST /people", r#"{"name":"Cleo"}"#),
    ("project", "mara", "POST /projects", r#"{"name":"Apollo","description":"To the moon"}"#),
    ("", "mara", "POST /projects/$project/people", r#"{"person_id":"$ben"}"#),
    ("", "mara", "POST /projects/$project/people", r#"{"person_id":"$cleo"}"#),
    ("coder", "mara", "POST /agents", r#"{"project_id":"$project","name":"Coder"}"#),
    ("clerk", "ben", "POST /agents", r#"{"project_id":"$project","name":"Clerk"}"#),
    ("scribe", "mara", "POST /agents", r#"{"project_id":"$project","name":"Scribe"}"#),
    ("channel", "mara", "POST /channels", r#"{"project_id":"$project","name":"general","topic":"All"}"#),
    ("", "ben", "POST /channels/$channel/subscriptions", r#"{"agent_id":"$clerk"}"#),
    ("message", "mara", "POST /messages", r#"{"channel_id":"$channel","body":"The first launch, @Clerk"}"#),
    ("thread", "mara", "POST /threads", r#"{"channel_id":"$channel","root_message_id":"$message"}"#),
    ("reply", "mara", "POST /messages", r#"{"thread_id":"$thread","body":"It went well, @Clerk"}"#),
    ("batch", "mara", "POST /batches", r#"{"project_id":"$project","name":"Flight 1"}"#),
    ("task", "mara", "POST /tasks", r#"{"project_id":"$project","title":"Fuel","batch_id":"$batch"}"#),
    ("artifact", "mara", "POST /artifacts?project_id=$project&filename=plan.txt&conversation_id=$channel", "the plan"),
    ("own_dm", "ben", "POST /dms", r#"{"participants":["$clerk"],"body":"Between us"}"#),
    ("answer", "coder", "POST /messages", r#"{"channel_id":"$channel","body":"Well","stream":true}"#),
    ("answer_b", "coder", "POST /messages", r#"{"channel_id":"$channel","stream":true}"#),
    ("answer_c", "coder", "POST /messages", r#"{"thread_id":"$thread","stream":true}"#),
    ("question", "mara", "POST /messages", r#"{"channel_id":"$channel","body":"Go, @Ben?","blocking":true}"#),
    ("question_b", "ben", "POST /messages", r#"{"channel_id":"$channel","body":"Ready, @Mara?","blocking":true}"#),
    ("run", "clerk", "POST /runs", r#"{"channel_id":"$channel","label":"Count down","task_id":"$task"}"#),
    ("run_b", "coder", "POST /runs", r#"{"channel_id":"$channel","label":"Look up"}"#),
    ("block", "mara", "POST /messages", r#"{"channel_id":"$channel","body":"Stop, @Clerk","blocking":true}"#),
    ("", "clerk", "POST /runs/$run/checkpoint", ""),
];

/// A project of Otto without members of the first project.
pub(crate) const OTHER_PROJECT: &[SeedStep] = &[
    ("otto", "admin", "POST /people", r#"{"name":"Otto"}"#),
    ("x_project", "otto", "POST /projects", r#"{"name":"Zyzzyva works"}"#),
    ("robot", "otto", "POST /agents", r#"{"project_id":"$x_project","name":"Zyzzyva robot"}"#),
    ("x_channel", "otto", "POST /channels", r#"{"project_id":"$x_project","name":"zyzzyva","topic":"zyzzyva"}"#),
    ("x_message", "otto", "POST /messages", r#"{"channel_id":"$x_channel","body":"zyzzyva launch"}"#),
    ("x_thread", "otto", "POST /threads", r#"{"channel_id":"$x_channel","root_message_id":"$x_message"}"#),
    ("x_batch", "otto", "POST /batches", r#"{"project_id":"$x_project","name":"zyzzyva"}"#),
    ("x_task", "otto", "POST /tasks", r#"{"project_id":"$x_project","title":"zyzzyva"}"#),
    (
        "x_artifact",
        "otto",
        "POST /artifacts?project_id=$x_project&filename=zyzzyva.txt&conversation_id=$x_channel",
        "zyzzyva",
    ),
    ("x_run", "robot", "POST /runs", r#"{"channel_id":"$x_channel","label":"zyzzyva"}"#),
    (
        "x_question",
        "robot",
        "POST /messages",
        r#"{"channel_id":"$x_channel","body":"zyzzyva, @Otto?","blocking":true}"#,
    ),
    ("x_dm", "otto", "POST /dms", r#"{"participants":["$robot"],"body":"zyzzyva"}"#),
];

/// Private conversations of Mara, Cleo and Coder in the project of Mara.
pub(crate) const PRIVATE_DATA: &[SeedStep] = &[
    (
        "private",
        "mara",
        "POST /channels",
        r#"{"project_id":"$project","name":"zyzzyva","topic":"zyzzyva","visibility":"private"}"#,
    ),
    ("", "mara", "POST /channels/$private/members", r#"{"member_id":"$cleo"}"#),
    ("", "mara", "POST /channels/$private/members", r#"{"member_id":"$coder"}"#),
    ("", "mara", "POST /channels/$private/members", r#"{"member_id":"$scribe"}"#),
    ("", "mara", "POST /channels/$private/subscriptions", r#"{"agent_id":"$coder"}"#),
    (
        "secret",
        "cleo",
        "POST /messages",
        r#"{"channel_id":"$private","body":"zyzzyva launch and payroll, @Coder @Mara"}"#,
    ),
    ("secret_thread", "cleo", "POST /threads", r#"{"channel_id":"$private","root_message_id":"$secret"}"#),
    ("secret_reply", "coder", "POST /messages", r#"{"thread_id":"$secret_thread","body":"zyzzyva launch"}"#),
    (
        "secret_artifact",
        "cleo",
        "POST /artifacts?project_id=$project&filename=zyzzyva.txt&conversation_id=$private",
        "zyzzyva",
    ),
    (
        "carrier",
        "cleo",
        "POST /messages",
        r#"{"channel_id":"$private","body":"zyzzyva","artifacts":["$secret_artifact"],"metadata":{"zyzzyva":1}}"#,
    ),
    ("secret_answer", "coder", "POST /messages", r#"{"channel_id":"$private","body":"zyzzyva","stream":true}"#),
    ("", "coder", "POST /messages/$secret_answer/chunks", r#"{"text":" zyzzyva"}"#),
    (
        "dm",
        "mara",
        "POST /dms",
        r#"{"participants":["$cleo","$coder"],"body":"zyzzyva launch, @Coder","project_id":"$project"}"#,
    ),
    ("whisper", "cleo", "POST /messages", r#"{"dm_id":"$dm","body":"zyzzyva"}"#),
    (
        "secret_question",
        "cleo",
        "POST /messages",
        r#"{"channel_id":"$private","body":"zyzzyva, @Mara?","blocking":true,"question":{"options":[{"id":"zyzzyva","label":"zyzzyva"}]}}"#,
    ),
    (
        "secret_loop",
        "coder",
        "POST /messages",
        r#"{"channel_id":"$private","body":"zyzzyva, @Scribe","cause":{"depth":50,"chain":["zyzzyva"]}}"#,
    ),
    ("", "mara", "PUT /messages/$secret/reactions/zyzzyva", ""),
    ("secret_run", "coder", "POST /runs", r#"{"channel_id":"$private","label":"zyzzyva","task_id":"$task"}"#),
    ("", "mara", "PATCH /tasks/$task", r#"{"thread_id":"$secret_thread"}"#),
];
