/** The list of suggestions above the field. The field keeps the focus and refers to the active option. */
import { createEffect, createUniqueId, For, Match, on, Show, Switch } from 'solid-js';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { usePersonColour } from '../../state/person_colour';
import type { Suggestion } from './completion';
import type { SuggestionState } from './suggestion_state';
import './Suggestions.css';

/** Returns the id of an option, for `aria-activedescendant`. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

export function newListId(): string {
  return `suggestions-${createUniqueId()}`;
}

export function Suggestions(props: { suggesting: SuggestionState; listId: string; absent: string }) {
  let list: HTMLDivElement | undefined;
  const showMarked = (index: number) =>
    list?.querySelector(`#${CSS.escape(optionId(props.listId, index))}`)?.scrollIntoView?.({ block: 'nearest' });
  createEffect(on(props.suggesting.marked, showMarked));
  return (
    <Show when={props.suggesting.isOpen()}>
      <div class="suggestions" id={props.listId} role="listbox" aria-label="Suggestions" ref={list}>
        <For each={props.suggesting.list()}>
          {(suggestion, index) => (
            <button
              type="button"
              class="suggestion"
              role="option"
              tabIndex={-1}
              id={optionId(props.listId, index())}
              aria-selected={props.suggesting.marked() === index()}
              onPointerMove={() => props.suggesting.mark(index())}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => props.suggesting.pick(index())}
            >
              <Line suggestion={suggestion} absent={props.absent} />
            </button>
          )}
        </For>
      </div>
    </Show>
  );
}

/** "idle" is only shown for agents. */
function presenceWord({ member, presence }: Extract<Suggestion, { type: 'member' }>): string {
  return member.type === 'person' && presence === 'idle' ? 'here' : presence;
}

function Line(props: { suggestion: Suggestion; absent: string }) {
  const colour = usePersonColour();
  const as = <T extends Suggestion['type']>(type: T) =>
    props.suggestion.type === type ? (props.suggestion as Extract<Suggestion, { type: T }>) : undefined;
  return (
    <Switch>
      <Match when={as('member')}>
        {(one) => (
          <>
            <Avatar
              name={one().member.name}
              shape={one().member.type}
              size="small"
              presence={one().presence}
              colour={colour(one().member)}
            />
            <span class="suggestion-name">{one().member.name}</span>
            <span class="suggestion-about">{one().member.type}</span>
            <span class="suggestion-state" data-absent={one().isReader ? undefined : ''}>
              {one().isReader ? presenceWord(one()) : props.absent}
            </span>
          </>
        )}
      </Match>
      <Match when={as('wide')}>
        {(one) => (
          <>
            <Icon name="people" size={18} />
            <span class="suggestion-name">@{one().word}</span>
            <span class="suggestion-about">{one().about}</span>
          </>
        )}
      </Match>
      <Match when={as('command')}>
        {(one) => (
          <>
            <span class="suggestion-command">
              /{one().command.name} <span class="suggestion-usage">{one().command.usage}</span>
            </span>
            <span class="suggestion-about">{one().command.does}</span>
          </>
        )}
      </Match>
    </Switch>
  );
}
