import { Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** A component that is drawn again only when one of its properties is another. */
export function memo<P extends object>(draw: (props: P) => ComponentChild): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as Record<string, unknown>;
      const after = next as Record<string, unknown>;
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
        if (name !== 'children' && !Object.is(before[name], after[name])) return true;
      }
      return false;
    }

    override render(props: P): ComponentChild {
      return draw(props);
    }
  }
  return (props) => h(Memo, props);
}
