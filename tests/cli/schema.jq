# schema.jq - what in a document does not fit a JSON Schema
#
#   jq -n --slurpfile schema SCHEMA -f schema.jq DOCUMENT
#
# prints a line for each misfit.  Knows the keywords that
# man/pbcat.schema.json uses, and fails on any other.

def known: ["$schema", "$defs", "$ref", "title", "description", "type",
    "additionalProperties", "required", "properties", "items", "pattern",
    "oneOf"];

def is_type($t):
    if $t == "integer" then type == "number" and . == floor
    else type == $t end;

def check($root; $s; $at):
    . as $v
    | (($s | keys) - known | .[] | error("unknown keyword " + .)),
      if $s["$ref"] then
          check($root; $root | getpath($s["$ref"] | split("/")[1:]); $at)
      elif $s.oneOf then
          [$s.oneOf[] as $one
              | [$v | check($root; $one; $at)] | select(. == [])] | length
          | select(. != 1) | "\($at): fits \(.) of the choices"
      elif [$s.type] | flatten | any(. as $t | $v | is_type($t)) | not then
          "\($at): \($v | type) instead of \($s.type)"
      else
          ($s.pattern // empty | select(. as $p | $v | type == "string" and (test($p) | not))
              | "\($at): \($v | tojson) is not \(.)"),
          (select(type == "array" and $s.items)
              | to_entries[] as $e | $e.value
              | check($root; $s.items; "\($at)[\($e.key)]")),
          (select(type == "object")
              | (($s.required // [])[] as $k | select(has($k) | not)
                  | "\($at): lacks \($k)"),
                (to_entries[] as $e
                  | if $s.properties[$e.key] then
                        $e.value
                        | check($root; $s.properties[$e.key];
                            "\($at).\($e.key)")
                    elif $s.additionalProperties == false then
                        "\($at): has \($e.key)"
                    else empty end))
      end;

$schema[0] as $root | inputs | check($root; $root; "profile")
