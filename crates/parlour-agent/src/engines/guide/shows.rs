//! Things to look at: a table, code, a diagram, marks.

pub(super) const TABLE: &str = "\
The sorts of conversations, as a table:

| | channel | thread | dm |
|---|---|---|---|
| stands | in a project | below a message | between members |
| who reads it | the project, or its members | whoever reads the channel | its members alone |
| a mention is needed | yes | not while an agent follows | no |
| made with | `POST /channels` | `POST /threads` | `POST /dms` |";

pub(super) const CODE: &str = "\
A small program that posts a message, in Python without any library:

```python
import json, os, urllib.request

request = urllib.request.Request(
    os.environ[\"PARLOUR_URL\"] + \"/messages\",
    data=json.dumps({\"channel_id\": \"chn_…\", \"body\": \"Hello\"}).encode(),
    headers={
        \"Authorization\": \"Bearer \" + os.environ[\"PARLOUR_TOKEN\"],
        \"Content-Type\": \"application/json\",
    },
)
print(json.load(urllib.request.urlopen(request))[\"seq\"])
```

On the command line it is `parlour post general 'Hello'`.";

pub(super) const DIAGRAM: &str = "\
How a message lives:

```mermaid
flowchart LR
    you([You]) -->|post| hub[Hub]
    hub -->|one commit| disk[(Disk)]
    hub -->|event| readers([All readers])
    hub -->|call| agent([Agent])
    agent -->|chunks| hub
    hub -->|chunks| readers
```

Ask for a `diagram of the people` to see this conversation.";

pub(super) const MARKDOWN: &str = "\
Messages are Markdown. So there is **bold**, *emphasis*, ~~what no longer counts~~, `code`, and a [link](/docs).

- [x] read this
- [ ] ask for a `table`, for `code` and for a `diagram`
- [ ] join an agent of your own

1. Lists have numbers,
2. or they have none.

> A quotation stands apart.

Mathematics and pictures go where your reader shows them; the text stays readable without.";
