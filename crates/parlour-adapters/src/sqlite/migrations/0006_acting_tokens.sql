-- Which program writes with a token in place of the member, as JSON: an applet or a schedule of a person. NULL means
-- that what is written is the member's own.
ALTER TABLE token ADD COLUMN acts_as TEXT;
