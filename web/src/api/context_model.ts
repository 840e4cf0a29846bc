/** Short names for the generated types of the context API, see `model.ts`. */
import type { components } from './types';

type Schemas = components['schemas'];

export type Difference = Schemas['InjectionDiff'];
export type Injection = Schemas['Injection'];
export type LeftOut = Schemas['OmissionReason'];
export type Level = Schemas['Level'];
export type Pack = Schemas['Pack'];
export type Reason = Schemas['Reason'];
export type Receipt = Schemas['Receipt'];
export type ReceiptItem = Schemas['ReceiptItem'];
export type Section = Schemas['Section'];

/** The formats that the page requests. */
export type ContextFormat = Extract<Schemas['ContextFormat'], 'native' | 'pack' | 'injection'>;

/** The generator treats fields with a default as required; the page sends only values that differ from the default. */
export type AskContext = Partial<Schemas['ContextRequest']> & { readonly format: ContextFormat };
