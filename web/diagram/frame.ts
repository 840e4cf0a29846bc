/** Draws one Mermaid diagram in a frame of its own; see `text/frame_diagram.ts` for what passes between page and frame. */
import mermaid from 'mermaid';

mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
