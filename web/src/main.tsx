// First of all, so that the styles of the parts come after it and may differ from it.
import './style/tokens.css';
import './style/base.css';
import { render } from 'parlour-web';
import { App } from './App';
import { createStore } from './state/store';

const page = document.getElementById('page');
if (page) {
  // Made once: as an expression in the markup it would be made anew at every reading.
  render(() => {
    const store = createStore();
    return <App store={store} />;
  }, page);
}
