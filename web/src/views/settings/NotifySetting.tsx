/** Whether the browser tells of questions while the page is not looked at. It is asked only after a click. */
import { createSignal, Switch as Either, Match } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { Switch } from '../../parts/Switch';
import { notifications } from '../../platform/notifications';
import { useStore } from '../../state/store_context';

export function NotifySetting() {
  const { preferences, commands } = useStore();
  const [permission, setPermission] = createSignal(notifications.permission());
  const allow = async () => {
    const now = await notifications.ask();
    setPermission(now);
    if (now === 'allowed') commands.setPreferences({ notify: true });
  };
  return (
    <Either>
      <Match when={permission() === 'allowed'}>
        <Switch
          label="Notify me of questions"
          hint="When somebody asks you something and waits, unless you are looking at it."
          isOn={preferences().notify}
          onChange={(notify) => commands.setPreferences({ notify })}
        />
      </Match>
      <Match when={permission() === 'ask'}>
        <p class="hint">The browser can tell you when somebody asks you something and waits. It will ask you first.</p>
        <div class="settings-acts">
          <button type="button" class="button" onClick={() => void allow()}>
            <Icon name="bell" size={16} />
            Notify me
          </button>
        </div>
      </Match>
      <Match when={permission() === 'denied'}>
        <p class="hint" role="status">
          The browser blocks notifications of this page. Allow them in its settings for this site, then reload the page.
        </p>
      </Match>
      <Match when={permission() === 'unsupported'}>
        <p class="hint">This browser shows no notifications for this page. PagedList without TLS have none.</p>
      </Match>
    </Either>
  );
}
