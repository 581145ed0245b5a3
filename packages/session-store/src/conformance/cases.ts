import { aliases } from './aliases.js';
import { appending } from './appending.js';
import type { Case } from './case.js';
import { clearing } from './clearing.js';
import { closing } from './closing.js';
import { compacting } from './compacting.js';
import { ensuring } from './ensuring.js';
import { failingStores } from './failing.js';
import { importing } from './importing.js';
import { leasing } from './leasing.js';
import { lifecycle } from './lifecycle.js';
import { listing } from './listing.js';
import { naming } from './naming.js';
import { ordering } from './ordering.js';
import { promoting } from './promoting.js';
import { reading } from './reading.js';
import { replacing } from './replacing.js';
import { resetting } from './resetting.js';
import { searching } from './searching.js';
import { sharing } from './sharing.js';
import { summarising } from './summarising.js';
import { transferring } from './transferring.js';
import { truncating } from './truncating.js';

/** Every promise of the contract. */
export const cases: readonly Case[] = [
  ...ensuring,
  ...aliases,
  ...promoting,
  ...appending,
  ...reading,
  ...summarising,
  ...replacing,
  ...truncating,
  ...resetting,
  ...compacting,
  ...clearing,
  ...listing,
  ...lifecycle,
  ...searching,
  ...transferring,
  ...importing,
  ...ordering,
  ...naming,
  ...leasing,
  ...sharing,
  ...failingStores,
  ...closing,
];
