/** The Parlour logo. */
import './Brand.css';

export function Brand(props: { size?: number }) {
  const size = () => props.size ?? 28;
  return (
    <svg class="brand-mark" width={size()} height={size()} viewBox="0 0 32 32" aria-hidden="true">
      <rect class="brand-ground" width="32" height="32" rx="8" />
      <path class="brand-sign" d="M11 24V8.5h6.2a5 5 0 0 1 0 10H11" />
    </svg>
  );
}
