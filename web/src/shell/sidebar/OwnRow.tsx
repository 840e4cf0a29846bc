/** The signed-in person and the link to the settings, at the bottom of the sidebar. */
import { Show } from 'solid-js';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import './OwnRow.css';

export function OwnRow() {
  const store = useStore();
  const me = () => {
    const session = store.session();
    return session.state === 'signed_in' ? session.me : undefined;
  };
  const isHere = () => store.connection().state === 'live';
  return (
    <Show when={me()}>
      {(who) => (
        <footer class="own-row">
          <Avatar name={who().name} shape="person" presence={isHere() ? 'idle' : 'away'} />
          <span class="own-name">
            {who().name}
            <span class="unseen">{isHere() ? ', others see you online' : ', others see you offline'}</span>
          </span>
          <a
            class="icon-button"
            href={hrefOf({ view: 'settings' })}
            aria-label="Settings"
            title="Settings"
            aria-current={route().view === 'settings' ? 'page' : undefined}
          >
            <Icon name="settings" />
          </a>
        </footer>
      )}
    </Show>
  );
}
