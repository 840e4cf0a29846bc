/** The current day as a signal; it changes at midnight, so that "Today" becomes "Yesterday". */
import { createSignal } from 'solid-js';

const [today, setToday] = createSignal(Date.now());

export { today };

function waitForMidnight(): void {
  const midnight = new Date().setHours(24, 0, 0, 0);
  setTimeout(() => {
    setToday(Date.now());
    waitForMidnight();
  }, midnight - Date.now());
}

waitForMidnight();
