/** One search result: author, conversation, time and snippet. The snippet is text, never markup. */
import { For } from 'solid-js';
import type { Author, Hit } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { DateTime } from '../../parts/time/Time';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { usePersonColour } from '../../state/person_colour';
import { titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { rememberSearch } from './recent_searches';
import { splitAtMatches } from './split_at_matches';
import './SearchHit.css';

export function SearchHit(props: { hit: Hit; query: string }) {
  const store = useStore();
  const colour = usePersonColour();
  const message = () => props.hit.message;
  const place = () => {
    const snapshot = store.snapshot();
    return snapshot ? titleOf(snapshot, message().to) : '';
  };
  return (
    <li>
      <a class="hit" href={hrefOf(messageRoute(message()))} onClick={() => rememberSearch(props.query)}>
        <Avatar name={message().from.name} shape={shapeOf(message().from)} colour={colour(message().from)} />
        <span class="hit-head">
          <b>{message().from.name}</b>
          <span class="hit-place">{place()}</span>
          <DateTime at={message().created_at} />
        </span>
        <span class="hit-snippet">
          <For each={splitAtMatches(props.hit.snippet, props.query)}>
            {(piece) => (piece.isWord ? <mark>{piece.text}</mark> : piece.text)}
          </For>
        </span>
      </a>
    </li>
  );
}

export function shapeOf(author: Author): 'person' | 'agent' | 'applet' | 'scheduler' | 'assistant' {
  switch (author.type) {
    case 'person':
    case 'agent':
    case 'applet':
    case 'scheduler':
      return author.type;
    default:
      return 'assistant';
  }
}
