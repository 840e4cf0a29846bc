import { render } from 'parlour-web';
import { App } from './App';
import { createStore } from './state/store';
import './style/tokens.css';
import './style/base.css';

const page = document.getElementById('page');
if (page) {
  // Made once: as an expression in the markup it would be made anew at every reading.
  render(() => {
    const store = createStore();
    return <App store={store} />;
  }, page);
}
