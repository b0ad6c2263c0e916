/** Keeps what throws while it is drawn from taking the rest of the page with it. */
import { Component, type ReactNode } from "react";

export interface GuardProps {
  /** What is shown instead. `again` tries once more. */
  readonly fallback: (again: () => void) => ReactNode;
  readonly children: ReactNode;
}

export class Guard extends Component<GuardProps, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }
  override render(): ReactNode {
    return this.state.failed ? this.props.fallback(() => this.setState({ failed: false })) : this.props.children;
  }
}
