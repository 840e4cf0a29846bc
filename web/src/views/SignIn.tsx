/** Asks who is there. What was typed before the session ended stays. */
export function SignIn(props: { was?: string | undefined }) {
  return <main class="sign-in">{props.was}</main>;
}
