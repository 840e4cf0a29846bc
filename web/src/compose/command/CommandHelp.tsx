/** The list of commands that `/help` opens. */
import { For } from 'solid-js';
import { Dialog } from '../../parts/dialog/Dialog';
import { COMMANDS } from './commands';
import './CommandHelp.css';

export function CommandHelp(props: { onClose(): void }) {
  return (
    <Dialog
      title="Commands"
      about="Type a command at the start of a message. A space before the slash sends it as text."
      onClose={() => props.onClose()}
    >
      <dl class="command-help">
        <For each={COMMANDS}>
          {(command) => (
            <div>
              <dt>
                /{command.name} <span class="suggestion-usage">{command.usage}</span>
              </dt>
              <dd>{command.does}</dd>
            </div>
          )}
        </For>
      </dl>
    </Dialog>
  );
}
