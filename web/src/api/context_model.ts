/** Short names for what the context engine is asked and answers. All of them are generated: see `model.ts`. */
import type { components } from './types';

type Schemas = components['schemas'];

export type Difference = Schemas['Difference'];
export type Injection = Schemas['Injection'];
export type LeftOut = Schemas['LeftOut'];
export type Level = Schemas['Level'];
export type Pack = Schemas['Pack'];
export type Reason = Schemas['Reason'];
export type Receipt = Schemas['Receipt'];
export type ReceiptItem = Schemas['ReceiptItem'];
export type Section = Schemas['Section'];

/** The forms that the page asks for. */
export type ContextFormat = Extract<Schemas['ContextFormat'], 'native' | 'pack' | 'injection'>;

/** The generator takes fields with a default as always sent; the page sends what differs from it. */
export type AskContext = Partial<Schemas['AskContext']> & { readonly format: ContextFormat };
