#!/usr/bin/env bash
# Does what a program of command_lines.txt would do, or refuses a command line that is not there.
set -euo pipefail

program=$(basename "$0")
line="$program $*"
line=${line% }

answer() {
  [ -n "$(cat)" ] || { echo "$program: no prompt on stdin" >&2; exit 1; }
  echo 'Understood.'
}

# Events as the real program prints them.
answer_with_events() {
  [ -n "$(cat)" ] || { echo "$program: no prompt on stdin" >&2; exit 1; }
  cat "$ROOT/crates/parlour-agent/tests/fixtures/coding_cli/$1.jsonl"
}

answer_claude_code() { answer_with_events claude_code; }
answer_codex() { answer_with_events codex; }
answer_gemini_cli() { answer_with_events gemini_cli; }
answer_opencode() { answer_with_events opencode; }

refuse_untrusted_codex() {
  git rev-parse --git-dir > /dev/null 2>&1 && answer && return
  echo 'Not inside a trusted directory and --skip-git-repo-check was not specified.' >&2
  exit 1
}

refuse_untrusted_gemini() {
  [ "${GEMINI_CLI_TRUST_WORKSPACE:-}" = true ] && answer && return
  echo 'Gemini CLI is not running in a trusted directory. To proceed, use --skip-trust.' >&2
  exit 55
}

hub() { exec parlour; }

initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"stand-in","version":"1"}}}'

# A server can be added once under a name.
register() {
  local known="$HOME/.stand-ins/$program-parlour"
  if [ "$program" != gemini ] && [ -e "$known" ]; then
    echo 'MCP server parlour already exists in local config' >&2
    exit 1
  fi
  mkdir -p "$(dirname "$known")" && touch "$known"
}

disconnect() { rm "$HOME/.stand-ins/$program-parlour"; }

# The registered server belongs to an agent; an administrator's token gives a model far too much.
refuse_people() {
  curl -sS -H "Authorization: Bearer $1" "$PARLOUR_URL/me" | grep agt_ > /dev/null && return
  echo "this is not the token of an agent" >&2
  exit 1
}

connect_http() {
  register
  local url='' header="Authorization: Bearer ${AGENT_TOKEN:-}"
  for word in "$@"; do
    case $word in
      http://*) url=$word ;;
      Authorization:*) header=$word ;;
    esac
  done
  initialize_http "$url" "${header#Authorization: Bearer }"
}

initialize_http() {
  refuse_people "$2"
  curl -sS --fail-with-body "$1" -H "Authorization: Bearer $2" -H 'Content-Type: application/json' \
    -H 'Accept: application/json, text/event-stream' -d "$initialize" | grep serverInfo > /dev/null
}

connect_stdio() {
  register
  local token=''
  for word in "$@"; do
    case $word in
      PARLOUR_TOKEN=*) token=${word#PARLOUR_TOKEN=} ;;
    esac
  done
  initialize_stdio "$token"
}

initialize_stdio() {
  refuse_people "$1"
  echo "$initialize" | PARLOUR_TOKEN=$1 parlour mcp | grep serverInfo > /dev/null
}

check_mcp() {
  local entry url token
  entry=$(jq -c '(.mcpServers // .servers // .mcp).parlour' "$1")
  url=$(jq -r '.url // empty' <<< "$entry")
  token=$(jq -r '.headers.Authorization // .env.PARLOUR_TOKEN' <<< "$entry")
  token=${token#Bearer }
  # Each client has its own way to name a variable or an input.
  case $token in '${env:AGENT_TOKEN}' | '{env:AGENT_TOKEN}' | '${input:token}') token=$AGENT_TOKEN ;; esac
  if [ -n "$url" ]; then
    initialize_http "$url" "$token"
  else
    [ "$(jq -c '[.command] + .args' <<< "$entry")" = '["parlour","mcp"]' ]
    initialize_stdio "$token"
  fi
}

while IFS= read -r row; do
  pattern=${row%% => *} effect=${row##* => }
  case $row in '#'* | '') continue ;; esac
  # shellcheck disable=SC2053 # The table has patterns.
  if [[ $line == $pattern ]]; then
    "$effect" "$@"
    exit
  fi
done < "$(dirname "$(readlink -f "$0")")/command_lines.txt"
echo "$line: not a command line of the real $program that is known to work; see command_lines.txt" >&2
exit 64
