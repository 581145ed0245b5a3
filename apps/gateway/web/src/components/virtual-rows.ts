import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useState } from 'preact/hooks';

type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;
type RowsOptions = Pick<
  VirtualizerOptions<HTMLDivElement, HTMLDivElement>,
  | 'count'
  | 'getScrollElement'
  | 'estimateSize'
  | 'getItemKey'
  | 'overscan'
  | 'paddingStart'
  | 'paddingEnd'
  | 'anchorTo'
  | 'followOnAppend'
  | 'scrollEndThreshold'
>;

/** Draws only the rows in view: the virtualizer, kept up to date with the component that calls this. */
export function useVirtualRows(options: RowsOptions): Rows {
  const [, render] = useState({});
  const complete = {
    ...options,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render({}),
  };
  const [rows] = useState<Rows>(() => new Virtualizer(complete));
  rows.setOptions(complete);
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}
