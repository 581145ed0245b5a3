import type { PagePlace, PageQuery } from '@x/session-store';
import type { Database, Statement } from 'better-sqlite3';
import { keyOrderSql, orderBytes } from './key-order.js';
import { unixOf } from './unix-time.js';

/** A part of all sessions with an index of its own, in the order of a list. */
interface Stratum {
  readonly index: string;
  readonly where: string;
}

const live = { index: 'sessions_live', where: 's.deleted_at IS NULL AND s.archived_at IS NULL' };
const archived = { index: 'sessions_archived', where: 's.deleted_at IS NULL AND s.archived_at IS NOT NULL' };
const deleted = { index: 'sessions_deleted', where: 's.deleted_at IS NOT NULL' };
const binned = { index: 'sessions_binned', where: 's.deleted_at IS NULL AND s.bin_json IS NOT NULL' };
/** PicoBot's own index: only it knows the channel. */
const liveOfChannel = { index: 'idx_sessions_channel_archived', where: live.where };

type Value = string | number | Buffer;
interface PlaceRow {
  readonly id: string;
  readonly last_active_at: number;
}
interface Condition {
  readonly where: string;
  readonly values: readonly Value[];
}

export interface SessionPages {
  /** Keys in the order of the query. */
  page(query: PageQuery, after?: PagePlace): readonly string[];
  /** What the engine makes of such a query, for a test to look at. */
  plans(query: PageQuery): readonly string[];
}

/** Pages of the keys of sessions by their place in the order, each as cheap as the sessions on it. */
export function createSessionPages(database: Database): SessionPages {
  const prepared = new Map<string, Statement<Value[], PlaceRow>>();

  function statement(text: string): Statement<Value[], PlaceRow> {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const made = database.prepare<Value[], PlaceRow>(text);
    prepared.set(text, made);
    return made;
  }

  function activityPage(stratum: Stratum, query: PageQuery, after: PagePlace | undefined): PlaceRow[] {
    if (after === undefined) return read(activityQuery(stratum, query, []));
    const at = unixOf(after.activeAt);
    const ties = read(
      activityQuery(stratum, query, [
        { where: `s.last_active_at = ? AND ${ordering} > ?`, values: [at, orderBytes(after.key)] },
      ]),
    );
    if (ties.length >= query.limit) return ties;
    return [
      ...ties,
      ...read(activityQuery(stratum, query, [{ where: 's.last_active_at < ?', values: [at] }])),
    ];
  }

  function read({ text, values }: { readonly text: string; readonly values: readonly Value[] }): PlaceRow[] {
    return statement(text).all(...values);
  }

  return {
    page(query, after) {
      if (query.order === 'key') return read(keyQuery(query, after)).map(({ id }) => id);
      const strata = strataOf(query).map((stratum) => activityPage(stratum, query, after));
      const rows = strata.length === 1 ? strata.flat() : strata.flat().sort(byActivity);
      return rows.slice(0, query.limit).map(({ id }) => id);
    },
    plans: (query) =>
      (query.order === 'key'
        ? [keyQuery(query, undefined)]
        : strataOf(query).map((stratum) => activityQuery(stratum, query, []))
      )
        .flatMap(({ text, values }) =>
          database.prepare<Value[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...values),
        )
        .map(({ detail }) => detail),
  };
}

const ordering = keyOrderSql('s.');

function strataOf(query: PageQuery): readonly Stratum[] {
  if (query.deleted === 'only') return [deleted, binned];
  const awake = query.channel === undefined ? live : liveOfChannel;
  return [
    ...(query.archived === 'only' ? [] : [awake]),
    ...(query.archived === 'exclude' ? [] : [archived]),
    ...(query.deleted === 'include' ? [deleted] : []),
  ];
}

function activityQuery(stratum: Stratum, query: PageQuery, more: readonly Condition[]) {
  const conditions = [{ where: stratum.where, values: [] }, ...filters(query), ...more];
  return select(stratum.index, conditions, `s.last_active_at DESC, ${ordering}`, query.limit);
}

function keyQuery(query: PageQuery, after: PagePlace | undefined) {
  const place = after === undefined ? [] : [{ where: `${ordering} > ?`, values: [orderBytes(after.key)] }];
  const conditions = [
    ...(query.deleted === 'exclude' ? [{ where: 's.deleted_at IS NULL', values: [] }] : []),
    ...(query.deleted === 'only'
      ? [{ where: '(s.deleted_at IS NOT NULL OR s.bin_json IS NOT NULL)', values: [] }]
      : []),
    ...filters(query),
    ...place,
  ];
  return select('sessions_key_order', conditions, ordering, query.limit);
}

function filters(query: PageQuery): readonly Condition[] {
  return [
    ...(query.archived === 'exclude' ? [{ where: 's.archived_at IS NULL', values: [] }] : []),
    ...(query.archived === 'only' ? [{ where: 's.archived_at IS NOT NULL', values: [] }] : []),
    ...(query.channel === undefined ? [] : [{ where: 's.channel_name = ?', values: [query.channel] }]),
    ...(query.agentId === undefined ? [] : [{ where: 's.agent_id = ?', values: [query.agentId] }]),
    ...(query.text === undefined
      ? []
      : [{ where: 'instr(holdfast_lower(s.title), ?) > 0', values: [query.text.toLowerCase()] }]),
  ];
}

function select(index: string, conditions: readonly Condition[], order: string, limit: number) {
  const where = conditions.map((each) => each.where).join(' AND ');
  return {
    text: `SELECT s.id, s.last_active_at FROM sessions s INDEXED BY ${index}
      ${where === '' ? '' : `WHERE ${where}`} ORDER BY ${order} LIMIT ?`,
    values: [...conditions.flatMap((each) => [...each.values]), limit],
  };
}

function byActivity(left: PlaceRow, right: PlaceRow): number {
  if (left.last_active_at !== right.last_active_at) return right.last_active_at - left.last_active_at;
  return Buffer.compare(orderBytes(left.id), orderBytes(right.id));
}
