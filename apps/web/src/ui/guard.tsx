/** Error boundary: a component that throws while rendering does not take down the rest of the page. */
import { Component, type ReactNode } from "react";

export interface GuardProps {
  /** Rendered instead. `again` retries. */
  readonly fallback: (again: () => void) => ReactNode;
  /** When it changes, a failed part is tried again. What works stays as it is: it keeps its state and the focus. */
  readonly resetKey?: string;
  readonly children: ReactNode;
}

export class Guard extends Component<GuardProps, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }
  override componentDidUpdate({ resetKey }: GuardProps): void {
    if (this.state.failed && resetKey !== this.props.resetKey) this.setState({ failed: false });
  }
  override render(): ReactNode {
    return this.state.failed ? this.props.fallback(() => this.setState({ failed: false })) : this.props.children;
  }
}
